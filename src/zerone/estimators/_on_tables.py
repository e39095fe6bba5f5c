"""Classifiers on tables that need not fit in memory: fitting, predicting and scoring in parts."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from zerone._typing import AnyArray, MissingRule
from zerone._warnings import warn
from zerone.estimators._base import REFINED_VALUES
from zerone.estimators._parameters import checked_level
from zerone.estimators._refined import FoldedRows
from zerone.estimators._retarget import RetargetableClassifier
from zerone.estimators._unchanged import unchanged_on_failure
from zerone.moments import scan
from zerone.tables import Encoding, NumericColumn, feature_parts, labelled_table, sampled_batch

Method: TypeAlias = Literal["predict", "predict_proba", "predict_log_proba", "decision_function"]


class TableClassifier(RetargetableClassifier):
    """A classifier with doors for tables in files and streams."""

    def fit_table(
        self,
        source: Any,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoding: Encoding | None = None,
        categories: Sequence[str] = (),
        max_levels: int = 100,
        missing: MissingRule = "error",
        null_values: Sequence[str] = (),
        checkpoint: Any = None,
        checkpoint_every: float = 60.0,
        progress: Any = None,
    ) -> Self:
        """Fit to a table of any size: Parquet, CSV, LIBSVM text, a frame or an Arrow stream.

        One pass gives the moments. With ``refine``, a second one takes the rows that the rule is
        refined on: all of a table with at most eight million numbers, as `fit` would; of a larger
        one a sample, in which rare classes are kept whole and weights make up for what is left
        out. A stream that can be read only once is not refined.

        Columns of text are encoded as categories, and rows to predict are frames with the same
        columns.

        Parameters
        ----------
        source, target, columns, weight, encoding, categories, max_levels, missing, null_values, \
checkpoint, checkpoint_every, progress
            As in `Moments.from_table`.

        Returns
        -------
        self

        Examples
        --------
        >>> import pandas as pd
        >>> from zerone import ZeroOneClassifier
        >>> table = pd.DataFrame(
        ...     {"age": [31, 47, 52, 25] * 5, "job": ["cook", "nurse", "cook", "cook"] * 5,
        ...      "late": ["no", "yes", "yes", "no"] * 5}
        ... )
        >>> classifier = ZeroOneClassifier().fit_table(table, target="late")
        >>> classifier.predict(pd.DataFrame({"age": [50, 24], "job": ["nurse", "cook"]})).tolist()
        ['yes', 'no']
        """
        with unchanged_on_failure(self):
            level = checked_level(self.refine, self._solver(), fit_intercept=self.fit_intercept)
            table = labelled_table(
                source,
                target=target,
                columns=columns,
                weight=weight,
                encoding=encoding,
                categories=categories,
                max_levels=max_levels,
                missing=missing,
                null_values=null_values,
            )
            moments = scan(
                table,
                checkpoint=checkpoint,
                checkpoint_every=checkpoint_every,
                progress=progress,
                n_jobs=self.n_jobs,
            )
            if level is None:
                return self._fit_to(moments)
            if not table.is_rereadable:
                warn(
                    "a stream that can be read only once is not refined; the rule comes from the "
                    "moments alone. Write it to Parquet first, or pass refine=None"
                )
                return self._fit_to(moments)
            batch = sampled_batch(
                table,
                moments.encoding,
                moments.n_features,
                REFINED_VALUES,
                check_random_state(self.random_state),
            )
            if batch.classes.tolist() != moments.classes.tolist():
                # So many classes that a sample has no place for all.
                return self._fit_to(moments)
            folded = FoldedRows.read(batch, self.cv, level, self.random_state, self.n_jobs)
            return self._fit_to(moments, folded, level)

    def predict_batches(
        self, source: Any, *, method: Method = "predict", null_values: Sequence[str] = ()
    ) -> Iterator[AnyArray]:
        """Yield predictions for a table of any size, part by part.

        Parameters
        ----------
        source : as in `Moments.from_table`
            With the columns of training; others are passed over.
        method : {"predict", "predict_proba", "predict_log_proba", "decision_function"}
        null_values : list of str
            Cells of CSV that mean a missing value, besides empty ones.

        Yields
        ------
        ndarray
            What the method returns for the next rows.

        Examples
        --------
        >>> import pandas as pd
        >>> from zerone import ZeroOneClassifier
        >>> table = pd.DataFrame({"x": [0.0, 1.0, 5.0, 7.0], "y": [0, 0, 1, 1]})
        >>> classifier = ZeroOneClassifier(refine=None).fit_table(table, target="y")
        >>> [part.tolist() for part in classifier.predict_batches(table)]
        [[0, 0, 1, 1]]
        """
        if method not in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
            raise ValueError(f"method: got {method!r}, expected the name of a method that predicts")
        self._fitted()
        parts = feature_parts(
            source, self._table_encoding(), self.coef_.shape[1], null_values=null_values
        )
        return (self._apply(method, part.rows) for part in parts)

    def score_table(
        self,
        source: Any,
        *,
        target: str | None = None,
        weight: str | None = None,
        null_values: Sequence[str] = (),
    ) -> float:
        """Return the accuracy on a labelled table of any size.

        Parameters
        ----------
        source : as in `Moments.from_table`
        target : str
            The column of labels. None for LIBSVM text.
        weight : str, optional
            The column of row weights.
        null_values : list of str
            Cells of CSV that mean a missing value, besides empty ones.

        Returns
        -------
        float
        """
        self._fitted()
        right = total = 0.0
        classes, found = set(self.classes_.tolist()), set()
        for part in feature_parts(
            source,
            self._table_encoding(),
            self.coef_.shape[1],
            target=target,
            weight=weight,
            has_text_labels=all(isinstance(label, str) for label in self.classes_.tolist()),
            null_values=null_values,
        ):
            if part.labels is None:
                raise ValueError("target: name the column that holds the classes")
            found |= set(np.unique(part.labels).tolist())
            predicted = self._apply("predict", part.rows)
            weights = np.ones(len(predicted)) if part.weights is None else part.weights
            right += float(weights[predicted == part.labels].sum())
            total += float(weights.sum())
        if total == 0:
            raise ValueError("source: holds no rows that count")
        strange = sorted(found - classes, key=str)
        if strange and not found & classes:
            raise ValueError(
                f"target: column {target!r} has the labels {strange[:5]!r}, none of which is among "
                f"the classes of training, {self.classes_.tolist()!r}; give labels of the same "
                "type and spelling"
            )
        if strange:
            warn(
                f"column {target!r} has the labels {strange[:5]!r}, which are not among the "
                f"classes of training, {self.classes_.tolist()!r}; they count as errors"
            )
        return right / total

    def _table_encoding(self) -> Encoding | None:
        """Return how the columns of a table are read; None where features have no names."""
        if self.encoding_ is not None:
            return self.encoding_
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else Encoding(tuple(map(NumericColumn, names)))
