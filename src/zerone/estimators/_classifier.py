"""`LinearClassifier`: the methods of both classifiers; the files it calls do the work."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from zerone._data.encoding import Encoding
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._errors import ArgumentTypeError
from zerone._moments.moments import Moments
from zerone._probability.pairwise import Votes
from zerone._progress import ProgressReport
from zerone._refine.fold_rules import FoldRules
from zerone._rows.rows import Rows, rows_of
from zerone._typing import AnyArray, FitMetric, FloatArray, Level
from zerone.estimators._class_coefficients import class_coefficients
from zerone.estimators._feature_path import FeaturePath
from zerone.estimators._feature_statistics import FeatureStatistics
from zerone.estimators._fit_rows import (
    REFINED_VALUES,
    fit_moments,
    fit_rows,
    warn_if_constant,
    with_bends,
)
from zerone.estimators._input import (
    checked_labels,
    checked_table,
    dispatched_device,
    known_classes,
)
from zerone.estimators._kept import Kept
from zerone.estimators._max_features import support
from zerone.estimators._parameters import Settings, is_straight
from zerone.estimators._rule_summary import RuleSummary
from zerone.estimators._state import (
    fitted_votes,
    named_moments,
    on_host,
    publish,
    require_continuable,
    retargeted_copy,
    unchanged_on_failure,
)


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier that starts from class moments; subclasses set the metric."""

    _is_ranking: ClassVar[bool]
    classes_: AnyArray
    coef_: FloatArray
    intercept_: FloatArray
    moments_: Moments
    encoding_: Encoding | None
    shrinkage_: FloatArray
    status_: str
    n_iter_: int
    refine_: Level | None
    _votes: Votes | None
    _kept: Kept | None
    _feature_statistics: FeatureStatistics | None
    _fold_rules: FoldRules | None
    _feature_path: FeaturePath | None
    _expected: dict[FitMetric, FloatArray | float]
    _is_constant: bool
    expected_metric_: FloatArray | float
    held_out_metric_: FloatArray | float
    held_out_interval_: FloatArray

    def __init__(
        self,
        *,
        metric: str,
        metric_params: Mapping[str, Any] | None = None,
        positive: Any = None,
        solver: Any = "exact",
        shrinkage: str | float | None = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_features: int | str | None = None,
        refine: str | None = "auto",
        shapes: str | None = None,
        cv: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.metric_params = metric_params
        self.positive = positive
        self.solver = solver
        self.shrinkage = shrinkage
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_features = max_features
        self.refine = refine
        self.shapes = shapes
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- fitting -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled rows.

        One pass gives the moments. With ``refine``, held-out rows then choose among rules, and
        the rules are polished.

        Parameters
        ----------
        X : array-like, sparse matrix, or pandas, polars or pyarrow table
            Of shape (n_rows, n_features). Also a Dask array or data frame, or, with
            scikit-learn's array API dispatch, an array of torch or cupy: sums are made on its
            workers or its device, and large data is refined on a sample.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weights, used as counts: 2 equals a repeated row, 0 a row left out.
        """
        with unchanged_on_failure(self):
            settings = Settings.of(self)
            device = dispatched_device(X)
            rows = rows_of(
                checked_table(self, X, reset=True),
                checked_labels(self, X, y),
                sample_weight,
                n_jobs=settings.n_jobs,
                max_values_to_memory=0 if settings.level is None else REFINED_VALUES,
            )
            rows, settings = with_bends(rows, settings)
            return self._fit(rows, settings, device)

    def fit_table(
        self,
        source: Any,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoding: Encoding | None = None,
        categorical: Sequence[str] = (),
        max_categories: int = 100,
        strict: bool = False,
        null_values: Sequence[str] = (),
        keep: Sequence[str] = (),
        hashed: Sequence[str] = (),
        text: Sequence[str] = (),
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        progress: bool | ProgressReport | None = None,
    ) -> Self:
        """Fit to a table of any size: a file, several files, a frame or an Arrow stream.

        One pass gives the moments. With ``refine``, a second pass reads the rows to refine on: all
        rows of a table with at most eight million numbers, otherwise a sample. The sample keeps
        all rows of rare classes and is reweighted. A stream that can be read only once is not
        refined. Strings become categories; `predict` takes frames with the same columns.

        All parameters are those of `Moments.from_table`; ``shapes`` is that of the classifier.

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
        from zerone._rows.table_rows import TableRows

        with unchanged_on_failure(self):
            settings = Settings.of(self)
            options = TableOptions(
                target,
                columns,
                weight,
                encoding,
                categorical,
                max_categories,
                strict,
                null_values,
                keep,
                hashed,
                text,
                None if settings.shapes is None else "bends",
            )
            scanned = ScanOptions(checkpoint, checkpoint_every, progress, settings.n_jobs)
            return self._fit(TableRows.opened(source, options, scanned), settings)

    def _fit(self, rows: Rows, settings: Settings, device: Any = None) -> Self:
        moments, solution = fit_rows(rows, settings)
        warn_if_constant(solution, settings)
        return publish(self, named_moments(self, moments), solution, device)

    @available_if(is_straight)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add labelled rows to those of earlier calls.

        The result equals one fit on all rows with ``refine=None``. Every call solves again; for
        very many small batches, add up `Moments` and call `fit_moments` once. With wide data (more
        than a thousand features, and fewer rows than features) the rows are kept in memory.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
            A batch need not have rows of every class.
        classes : array-like, optional
            All labels that can occur. Required at the first call.
        """
        first = not hasattr(self, "classes_")
        if not first:
            require_continuable(self)
        with unchanged_on_failure(self):
            known = known_classes(self, classes)
            device = dispatched_device(X)
            rows = rows_of(
                checked_table(self, X, reset=first),
                checked_labels(self, X, y),
                sample_weight,
                classes=known,
                n_jobs=self.n_jobs,
            )
            moments = named_moments(self, rows.moments())
            settings = Settings.without_rows(self, "partial_fit")
            if not first:
                moments = self.moments_ + moments
            solution = None
            # A stream may start with one class; `predict` needs a second one.
            if sum(m.weight > 0 for m in moments.values()) > 1:
                moments, solution = fit_moments(moments, settings, classes=known)
            return publish(self, moments, solution, device, keep_rows=True)

    def fit_moments(self, moments: Moments) -> Self:
        """Fit to moments that were computed, merged or loaded before; ``refine`` needs rows.

        Columns bend as their encoding says, made with ``shapes="bends"``.
        """
        if not isinstance(moments, Moments):
            raise ArgumentTypeError(
                "moments",
                f"got {type(moments).__name__}, expected zerone.Moments",
                "make one with Moments.from_data",
            )
        with unchanged_on_failure(self):
            settings = Settings.without_rows(self, "fit_moments")
            settings.check_bends_of(moments)
            moments, solution = fit_moments(moments, settings)
            warn_if_constant(solution, settings)
            return publish(self, moments, solution)

    def retarget(self, metric: str, *, class_weight: Any = None, **parameters: Any) -> Any:
        """Return a new fitted classifier for another metric or other class weights.

        Needs no data, and takes no time. After a refined fit, held-out rows choose the direction
        (the refined one or one of the frontier) and the threshold; otherwise the frontier of the
        moments gives both. A fit with the metric is better where the rows are at hand: it polishes
        for the metric, too; ``status_`` says which of both was done. Probabilities keep the class
        weights of training, so they are not one half at the new threshold; `predict` follows
        `decision_function`.

        A fitted classifier keeps the held-out scores of a direction in at most 128 bins, and with
        more than five classes those of the refined direction only. Up to some hundred rows near
        the threshold nothing is lost by that; otherwise a loss is worse by less than 0.002, at a
        limit of a rate by less than 0.01.

        Parameters
        ----------
        metric : str
            One of `zerone.metrics.METRICS`. Metrics of the ranking give an `AUCClassifier`, the
            others a `ZeroOneClassifier`, with ``metric`` and ``metric_params`` set.
        class_weight : None, "balanced", or mapping label -> weight
            Replaces the class weights of training; None keeps them.
        **parameters
            Parameters of the metric, as in `Frontier.best`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from zerone import ZeroOneClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> classifier = ZeroOneClassifier().fit(X, y)
        >>> careful = classifier.retarget("true_positive_rate", max_false_positive_rate=0.01)
        >>> bool((careful.predict(X) == 1).sum() < (classifier.predict(X) == 1).sum())
        True
        """
        return retargeted_copy(self, metric, class_weight, parameters)

    def summary(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, groups: Any = None
    ) -> RuleSummary:
        """Return the coefficients of two classes with intervals, and whether to believe them.

        A refined fit needs nothing: the models that held rows out show how far the rule is spread.
        A rule of the moments (``refine=None``, `fit_moments`) needs the rows of the fit again, for
        one pass over groups of them, or the moments of such groups. So a fit stays as fast and a
        fitted classifier as small as they are.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`, optional
            The rows of the fit, for a rule of the moments.
        groups : sequence of Moments, optional
            In place of rows: the moments of random groups of them, best twenty or more of the same
            size. Days, files or sites are groups if their rows are alike.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from zerone import ZeroOneClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> few = X[["mean radius", "mean texture"]]
        >>> summary = ZeroOneClassifier(refine=None).fit(few, y).summary(few, y)
        >>> summary.names, summary.verdict
        (('mean radius', 'mean texture', '(intercept)'), 'The intervals may be believed.')
        """
        from zerone.estimators._summary import summary

        return summary(self, X, y, sample_weight, groups)

    # -- predicting ----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Any:
        """Return the scores of rows, of shape (n_rows,) or (n_rows, n_classes).

        With two classes the score is w·x + b, in pooled within-class standard deviations, positive
        for the last class. With more it is the sum of each class's pairwise probabilities.
        """
        return self._predicted("decision_function", X)

    def predict(self, X: Any) -> Any:
        """Return the predicted class of each row."""
        return self._predicted("predict", X)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class, columns in the order of ``classes_``.

        Calibrated on held-out scores after a refined fit, otherwise from the normal model of the
        scores. Monotone in the score. More than two classes are combined by pairwise coupling.
        """
        return self._predicted("predict_proba", X)

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of `predict_proba`, precise near zero for two classes."""
        return self._predicted("predict_log_proba", X)

    def _predicted(self, method: str, X: Any) -> Any:
        from zerone.estimators._prediction import predicted

        return predicted(self, method, X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; ``X``, ``y`` and ``sample_weight`` are as in `fit`."""
        from zerone.estimators._prediction import accuracy

        return accuracy(self, X, y, sample_weight)

    def predict_batches(
        self, source: Any, *, method: str | Sequence[str] = "predict"
    ) -> Iterator[Any]:
        """Yield predictions for a table of any size, part by part.

        Parameters
        ----------
        source : as in `Moments.from_table`
            With the columns of training; other columns are ignored. Cells are read as the plan of
            training says, and a warning counts what it did not foresee.
        method : {"predict", "predict_proba", "predict_log_proba", "decision_function"}
            Of several, in a list, each part is a tuple; the table is read once.
        """
        from zerone.estimators._table_prediction import predicted_batches

        return predicted_batches(self, source, method)

    def score_table(
        self,
        source: Any,
        *,
        target: str | None = None,
        weight: str | None = None,
    ) -> float:
        """Return the accuracy on a labelled table.

        Parameters
        ----------
        source : as in `Moments.from_table`
        target, weight : str, optional
            The columns of labels and of row weights; by default the target of training, and no
            weights.
        """
        from zerone.estimators._table_prediction import table_accuracy

        return table_accuracy(self, source, target, weight)

    @property
    def support_(self) -> AnyArray:
        """Which features the rules use: those with a coefficient that is not zero.

        A mask of shape (n_features,), as `SelectFromModel.get_support` of scikit-learn gives it.
        """
        return support(self)

    @property
    def class_coef_(self) -> FloatArray:
        """Coefficients of shape (n_classes, n_features), one row for each class: a summary.

        `predict` asks the rules of all pairs of classes, ``coef_``; with three classes there are
        three pairs, and a row of ``coef_`` is not about one class. The summary has the differences
        of classes that are nearest to the rules of the pairs, above all of those that are confused;
        a positive coefficient speaks for its class. The class with the largest
        ``X @ class_coef_.T + class_intercept_`` is mostly the predicted one: for 58 % to 100 % of
        held-out rows of eleven data sets, 90 % at the median (``evidence/class_summary.py``).
        """
        return class_coefficients(self)[0]

    @property
    def class_intercept_(self) -> FloatArray:
        """Intercepts of shape (n_classes,) that go with ``class_coef_``."""
        return class_coefficients(self)[1]

    def explain(self, X: Any) -> Any:
        """Return why the rows of ``X`` get their classes, as a `zerone.inspection.Explanation`.

        It has what each column adds to the score (all categories of a column together), and the
        smallest change of one column that would change the answer.

        Examples
        --------
        >>> import pandas as pd
        >>> from zerone import ZeroOneClassifier
        >>> table = pd.DataFrame({"age": [31, 47, 52, 25] * 5, "job": ["cook", "nurse"] * 10})
        >>> classifier = ZeroOneClassifier(refine=None).fit_table(
        ...     table.assign(late=["no", "yes", "yes", "no"] * 5), target="late"
        ... )
        >>> explanation = classifier.explain(table[:1])
        >>> explanation.columns, explanation.flip_columns[0]
        (('age', 'job'), 'age')
        """
        from zerone.inspection._explanation import explained

        return explained(self, X)

    def to_scorecard(self, X: Any, y: Any, sample_weight: Any = None, *, points: int = 5) -> Any:
        """Return a card of integer points for two classes, as a `zerone.scorecards.Scorecard`.

        Columns of numbers get at most five bins, where the rows support them. Each bin, or each
        category, gets points, and the total decides. Points are those of a logistic rule of the
        bins, rounded as a whole, and the threshold is the best for ``metric``. The card has the
        columns of the rule, so fit it with ``max_features`` first.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
            The rows of the fit; of more than 50,000 rows as many.
        points : int, default=5
            Most points of a column.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from zerone import ZeroOneClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> card = ZeroOneClassifier(max_features=2).fit(X, y).to_scorecard(X, y, points=3)
        >>> card.classes, bool(card.held_out["error"] < 0.08)
        ((0, 1), True)
        """
        from zerone.scorecards._fit import scorecard_of

        return scorecard_of(self, X, y, sample_weight, points)

    # -- export: imported late, because `zerone.export` imports this package ---------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted classifier to a file that `zerone.load_model` reads.

        The file holds the rule, its encoding, the classes and, for `retarget`, bins of held-out
        scores, as JSON and plain arrays: no pickle, no moments. The usual file extension is
        ``.zerone``. An existing file is replaced only by a complete new one.
        """
        from zerone.export._model_file import save_model

        fitted_votes(self)
        save_model(on_host(self), path)

    def to_sql(self, output: str = "label", dialect: str = "duckdb") -> str:
        """Return the rule as an SQL expression over the columns of a table.

        It gives what `predict` says for the same rows: also for missing values, dates, categories
        that are new since training, and columns of strings, numbers or booleans that are read as
        categories. Where the engine cannot know that, it raises an error or gives NULL: NULL for a
        missing value if training was strict, for a score that overflows, for a date in strings
        that is not in ISO format, and in SQLite for a string in a column of numbers.

        Parameters
        ----------
        output : {"label", "score", "probability"}, default="label"
            The predicted class, the score, or the probability of the last class. For several
            classes only the label.
        dialect : {"duckdb", "postgresql", "sqlite", "spark", "ansi"}, default="duckdb"
            Of DuckDB by default, because it runs inside Python and reads data frames and files.
            "ansi" is for other engines: without dates, and without categories that may be strings
            as well as numbers or booleans.

        Examples
        --------
        >>> import pandas as pd
        >>> from zerone import ZeroOneClassifier
        >>> X = pd.DataFrame({"size": [1.0, 2.0, 6.0, 7.0]})
        >>> classifier = ZeroOneClassifier(refine=None).fit(X, ["small", "small", "large", "large"])
        >>> classifier.to_sql(dialect="sqlite")[:9]
        'CASE WHEN'
        """
        from zerone.export._sql import to_sql

        return to_sql(on_host(self), output, dialect)

    def to_onnx(self, dtype: Any = "float32") -> Any:
        """Return the classifier as an ONNX model with the outputs ``label`` and ``probabilities``.

        Needs the extra ``onnx``. The graph computes in double precision; ``dtype``, "float32" or
        "float64", is the type of the input ``X`` and of the probabilities. For a pipeline that
        ends with this classifier, call `zerone.export.register_onnx`, then ``skl2onnx.to_onnx``.
        """
        from zerone.export._onnx import to_onnx

        fitted_votes(self)
        return to_onnx(on_host(self), dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.shapes != "bends"
        tags.array_api_support = True
        return tags
