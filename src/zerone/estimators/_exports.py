"""Ways out of Python: model files, SQL, ONNX."""

from os import PathLike
from typing import Any, get_args

from zerone.estimators._on_tables import TableClassifier
from zerone.estimators._sql import SqlOutput, sql_expression


class ExportableClassifier(TableClassifier):
    """A classifier whose rules can be taken elsewhere."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted classifier to a file that `zerone.load_model` reads.

        The file holds the rule, its encoding and the classes as JSON and plain arrays, no pickle
        and no moments; the format is described in `zerone.estimators._model_file`. By custom its
        name ends in ``.zerone``.

        Parameters
        ----------
        path : path
            Written at once: an existing file is replaced only by a complete one.
        """
        from zerone.estimators._model_file import save_model

        self._fitted()
        save_model(self._on_host(), path)

    def to_sql(self, output: SqlOutput = "label") -> str:
        """Return the rule as an SQL expression over the columns of a table.

        Parameters
        ----------
        output : {"label", "score", "probability"}, default="label"
            What the expression gives for a row: the predicted class, the score, or the probability
            of the last class.

        Returns
        -------
        str
            Tested in DuckDB. A level that training has not seen counts as in `predict`, without a
            warning. Where training refused missing numbers, the result for a row that lacks one is
            NULL.

        Examples
        --------
        >>> import pandas as pd
        >>> from zerone import ZeroOneClassifier
        >>> X = pd.DataFrame({"size": [1.0, 2.0, 6.0, 7.0]})
        >>> classifier = ZeroOneClassifier(refine=None).fit(X, ["small", "small", "large", "large"])
        >>> classifier.to_sql()[:9]
        'CASE WHEN'
        """
        if output not in get_args(SqlOutput):
            raise ValueError(f"output: got {output!r}, expected one of {list(get_args(SqlOutput))}")
        votes = self._fitted()
        if len(self.classes_) != 2:
            raise ValueError(
                f"to_sql writes one rule, and {len(self.classes_)} classes are decided by "
                f"{len(self.coef_)}; export to ONNX instead"
            )
        encoding = self._table_encoding()
        if encoding is None:
            raise ValueError(
                "to_sql names columns, and this classifier was fitted to features without names; "
                "fit it to a data frame or a table"
            )
        model: Any = votes.posterior.models[0]
        rules = self._on_host()
        return sql_expression(
            encoding,
            rules.coef_[0],
            float(rules.intercept_[0]),
            getattr(model, "curve", model),
            tuple(self.classes_.tolist()),
            output,
        )

    def to_onnx(self, dtype: Any = "float32") -> Any:
        """Return the classifier as an ONNX model with the outputs ``label`` and ``probabilities``.

        Needs the extra ``onnx``. The graph computes in double precision. For a pipeline that ends
        in this classifier call `zerone.estimators.register_onnx`, then ``skl2onnx.to_onnx``.

        Parameters
        ----------
        dtype : {"float32", "float64"}, default="float32"
            Of the input ``X`` and of the probabilities.

        Returns
        -------
        onnx.ModelProto
        """
        from zerone.estimators._onnx import to_onnx

        self._fitted()
        return to_onnx(self._on_host(), dtype)
