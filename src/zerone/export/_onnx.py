"""Classifiers as ONNX graphs, by a converter for skl2onnx.

Graphs compute in double precision, also for float32 input: only the rounding of the input is lost.
"""

from collections.abc import Callable, Sequence
from itertools import count, pairwise
from typing import Any

import numpy as np

from zerone._data.bent_array import Parts
from zerone._errors import AdviceError, ArgumentError
from zerone._moments.pair import class_pairs
from zerone._probability.coupling import SMOOTHING, TOLERANCE
from zerone._probability.curves import JUST_POSITIVE, Curve, Lines, Parabola
from zerone._probability.pairwise import PairwiseVote
from zerone._typing import AnyArray
from zerone.estimators._auc import AUCClassifier
from zerone.estimators._state import fitted_votes, on_host
from zerone.estimators._zero_one import ZeroOneClassifier

_OPSET = 18
# Newton steps of the coupling; ten are enough unless pairs contradict each other.
_STEPS = 50
_LONGEST_STEP = 3.0


class _Builder:
    """Writes arithmetic operations as nodes of a graph."""

    def __init__(self, emit: Callable[..., list[str]]) -> None:
        self._emit = emit

    def node(self, op: str, *inputs: str, n_outputs: int = 1, **attributes: Any) -> Any:
        outputs = self._emit(op, list(inputs), n_outputs, attributes)
        return outputs[0] if n_outputs == 1 else outputs

    def constant(self, values: Any, dtype: Any = np.float64) -> str:
        from onnx import numpy_helper

        array = np.asarray(values, dtype=dtype)
        return str(self.node("Constant", value=numpy_helper.from_array(array)))

    def column(self, matrix: str, position: int) -> str:
        """Return one column of a matrix, of shape (n_rows, 1)."""
        return str(self.node("Gather", matrix, self.constant([position], np.int64), axis=1))

    def parts(self, rows: str, parts: Parts) -> str:
        """Return the parts of columns that bend."""
        node, constant = self.node, self.constant
        chosen = node("Gather", rows, constant(parts.source, np.int64), axis=1)
        clipped = node("Min", node("Max", chosen, constant(parts.low)), constant(parts.high))
        return str(node("Sub", clipped, constant(parts.base)))

    # -- from scores to probabilities ------------------------------------------------------------

    def log_odds(self, score: str, curve: Curve) -> str:
        """Return the log-odds of the later class of a pair."""
        node, constant = self.node, self.constant
        odds = (
            self._on_parabola(score, curve)
            if isinstance(curve, Parabola)
            else self._on_lines(score, curve)
        )
        if not curve.follows_threshold:
            return str(odds)
        is_positive = node("Greater", score, constant(0.0))
        above = node("Max", odds, constant(JUST_POSITIVE))
        below = node("Min", odds, constant(0.0))
        return str(node("Where", is_positive, above, below))

    def _on_parabola(self, score: str, curve: Parabola) -> str:
        node, constant = self.node, self.constant
        distance = node("Sub", score, constant(curve.centre))
        if np.isfinite(curve.lowest):
            distance = node("Max", distance, constant(curve.lowest))
        if np.isfinite(curve.highest):
            distance = node("Min", distance, constant(curve.highest))
        if curve.is_anchored:
            first = node("Add", distance, constant(curve.centre))
            second = node("Sub", distance, constant(curve.centre))
            start = constant(0.0)
        else:
            first = second = distance
            start = constant(curve.at_centre)
        bent = node("Mul", second, constant(curve.bend))
        steepness = node("Add", bent, constant(curve.slope))
        return str(node("Add", start, node("Mul", first, steepness)))

    def _on_lines(self, score: str, curve: Lines) -> str:
        """Return the value at the first knot plus the rise over every line up to the score."""
        node, constant = self.node, self.constant
        terms = [constant(curve.values[0])]
        ends = [-np.inf, *curve.knots, np.inf]
        for (start, end), slope in zip(
            pairwise(ends), (curve.below, *curve.slopes, curve.above), strict=True
        ):
            reached = score if start == -np.inf else node("Max", score, constant(start))
            reached = reached if end == np.inf else node("Min", reached, constant(end))
            run = node("Sub", reached, constant(end if start == -np.inf else start))
            terms.append(node("Mul", run, constant(slope)))
        return str(node("Sum", *terms))

    def summed(self, scores: str, vote: PairwiseVote) -> str:
        """Return for each class the sum of its probabilities against the other classes."""
        node, constant = self.node, self.constant
        parts: list[list[str]] = [[] for _ in range(vote.n_classes)]
        for column, ((negative, positive), model) in enumerate(
            zip(class_pairs(vote.n_classes), vote.curves, strict=True)
        ):
            if model is None:
                continue
            odds = self.log_odds(self.column(scores, column), model)
            parts[positive].append(node("Sigmoid", odds))
            parts[negative].append(node("Sigmoid", node("Neg", odds)))
        nothing = node("Mul", self.column(scores, 0), constant(0.0))
        totals = [node("Sum", nothing, *own) for own in parts]
        return str(node("Concat", *totals, axis=1))

    def coupled(self, sums: str, n_classes: int) -> str:
        """Return class probabilities by pairwise coupling."""
        node, constant = self.node, self.constant
        # As a small correction: runtimes skip a multiplication by almost one.
        excess = node("Sub", sums, constant((n_classes - 1) / 2))
        target = node("Sub", sums, node("Mul", excess, constant(SMOOTHING)))
        left = node("Sub", constant(n_classes - 1 + 1e-300), target)
        odds = self._centred(node("Sub", node("Log", target), node("Log", left)))
        body = _newton_body(n_classes)
        odds, _ = node(
            "Loop",
            constant(_STEPS, np.int64),
            constant(True, np.bool_),
            odds,
            target,
            n_outputs=2,
            body=body,
        )
        return str(node("Softmax", odds, axis=1))

    def _centred(self, odds: str) -> str:
        mean = self.node("ReduceMean", odds, self.constant([1], np.int64), keepdims=1)
        return str(self.node("Sub", odds, mean))

    def newton_step(self, odds: str, target: str, k: int) -> str:
        """Return the log-odds of the classes after a Newton step of limited length."""
        node, constant = self.node, self.constant
        axis_1, axis_2 = constant([1], np.int64), constant([2], np.int64)
        differences = node("Sub", node("Unsqueeze", odds, axis_2), node("Unsqueeze", odds, axis_1))
        shares = node("Mul", node("Sigmoid", differences), constant(1.0 - np.eye(k)))
        residual = node("Sub", target, node("ReduceSum", shares, axis_2, keepdims=0))
        curvature = node("Sub", node("Mul", shares, shares), shares)
        total = node("ReduceSum", curvature, axis_2, keepdims=1)
        diagonal = node("Mul", node("Sub", constant(1e-12), total), constant(np.eye(k)))
        matrix = node("Add", node("Add", curvature, constant(1.0 / k)), diagonal)
        move = self._centred(self._solved(matrix, residual, k))
        size = node("ReduceMax", node("Abs", move), axis_1, keepdims=1)
        shrink = node("Max", node("Div", size, constant(_LONGEST_STEP)), constant(1.0))
        step = node("Div", move, shrink)
        lacking = node("ReduceMax", node("Abs", residual), axis_1, keepdims=1)
        # Rows that have converged do not move: their matrix may be singular.
        is_far = node("GreaterOrEqual", lacking, constant(TOLERANCE))
        return str(node("Where", is_far, node("Add", odds, step), odds))

    def _solved(self, matrix: str, right: str, k: int) -> str:
        """Solve a positive definite system for each row, by elimination."""
        node, constant = self.node, self.constant
        axis_2 = constant([2], np.int64)
        system = node("Concat", matrix, node("Unsqueeze", right, axis_2), axis=2)
        for step in range(k):
            at = constant([step], np.int64)
            row = node("Gather", system, at, axis=1)
            column = node("Gather", system, at, axis=2)
            pivot = node("Gather", row, at, axis=2)
            row = node("Div", row, pivot)
            factors = node("Sub", column, constant(np.eye(k)[:, [step]]))
            system = node("Sub", system, node("Mul", factors, row))
        last = node("Gather", system, constant([k], np.int64), axis=2)
        return str(node("Squeeze", last, axis_2))


def _newton_body(n_classes: int) -> Any:
    """Return the graph of one step of the loop that couples pairwise probabilities."""
    from onnx import TensorProto, helper

    nodes: list[Any] = []
    numbers = count()

    def emit(op: str, inputs: list[str], n_outputs: int, attributes: dict[str, Any]) -> list[str]:
        outputs = [f"newton_{next(numbers)}" for _ in range(n_outputs)]
        nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return outputs

    better = _Builder(emit).newton_step("odds_in", "target_in", n_classes)
    nodes.append(helper.make_node("Identity", [better], ["odds_out"]))
    nodes.append(helper.make_node("Identity", ["target_in"], ["target_out"]))
    nodes.append(helper.make_node("Identity", ["go_on_in"], ["go_on_out"]))

    def tensor(name: str, kind: int, shape: Sequence[Any]) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    rows = [None, n_classes]
    return helper.make_graph(
        nodes,
        "newton",
        [
            tensor("step", TensorProto.INT64, []),
            tensor("go_on_in", TensorProto.BOOL, []),
            tensor("odds_in", TensorProto.DOUBLE, rows),
            tensor("target_in", TensorProto.DOUBLE, rows),
        ],
        [
            tensor("go_on_out", TensorProto.BOOL, []),
            tensor("odds_out", TensorProto.DOUBLE, rows),
            tensor("target_out", TensorProto.DOUBLE, rows),
        ],
    )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the graph of a fitted classifier; called by skl2onnx."""
    from onnx import TensorProto
    from skl2onnx.common.data_types import DoubleTensorType

    model = on_host(operator.raw_operator)
    votes = fitted_votes(model)
    refuse_encoding(model)

    def emit(op: str, inputs: list[str], n_outputs: int, attributes: dict[str, Any]) -> list[str]:
        outputs = [scope.get_unique_variable_name(f"zerone_{op}") for _ in range(n_outputs)]
        container.add_node(op, inputs, outputs, op_version=_OPSET, **attributes)
        return outputs

    builder = _Builder(emit)
    node, constant = builder.node, builder.constant
    rows = node("Cast", operator.inputs[0].full_name, to=TensorProto.DOUBLE)
    if model.encoding_ is not None and model.encoding_.bent_columns:
        rows = builder.parts(rows, Parts.of(model.encoding_))
    scores = node("Add", node("MatMul", rows, constant(model.coef_.T)), constant(model.intercept_))
    n_classes = len(model.classes_)
    if n_classes == 2:
        is_second = node("Greater", builder.column(scores, 0), constant(0.0))
        position = node(
            "Squeeze", node("Cast", is_second, to=TensorProto.INT64), constant([1], np.int64)
        )
        probabilities = builder.summed(scores, votes.posterior)
    else:
        decision = builder.summed(scores, votes.decision)
        position = node("ArgMax", decision, axis=1, keepdims=0)
        sums = builder.summed(scores, votes.posterior)
        probabilities = builder.coupled(sums, n_classes)
    label, probability = (output.full_name for output in operator.outputs)
    container.add_node(
        "Gather", [_labels(builder, model.classes_), position], label, op_version=_OPSET
    )
    is_double = isinstance(operator.inputs[0].type, DoubleTensorType)
    kind = TensorProto.DOUBLE if is_double else TensorProto.FLOAT
    container.add_node("Cast", probabilities, probability, to=kind, op_version=_OPSET)


def _labels(builder: _Builder, classes: AnyArray) -> str:
    if classes.dtype.kind == "U":
        return builder.constant(classes, np.str_)
    return builder.constant(classes, np.int64)


def refuse_encoding(model: Any) -> None:
    """Raise for models that a graph on numbers cannot express."""
    encoding = model.encoding_
    if encoding is not None and not encoding.straight_but().is_plain:
        raise AdviceError(
            "an ONNX graph takes features that are numbers, and this classifier was fitted to a "
            "table with other columns, or with missing values",
            "⟨not onnx⟩, or encode the table in a scikit-learn pipeline and convert that",
        )
    if model.classes_.dtype.kind not in "Uiub" and not (
        model.classes_.dtype.kind == "f" and (model.classes_ == np.rint(model.classes_)).all()
    ):
        raise AdviceError(
            f"labels of type {model.classes_.dtype} have no ONNX type", "use strings or integers"
        )
    if any(m is None for m in fitted_votes(model).posterior.curves):
        raise AdviceError(
            "an ONNX graph needs rows of every class", "fit to rows of all classes first"
        )


def register_onnx() -> None:
    """Register the classifiers with skl2onnx, alone or as the last step of a pipeline.

    Call this before ``skl2onnx.to_onnx(pipeline, …)``; `to_onnx` of a classifier does it itself.
    """
    try:
        from skl2onnx import update_registered_converter
        from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes
    except ImportError:
        raise ImportError("ONNX needs skl2onnx; install zerone[onnx]") from None
    for estimator in (ZeroOneClassifier, AUCClassifier):
        update_registered_converter(
            estimator,
            f"Zerone{estimator.__name__}",
            calculate_linear_classifier_output_shapes,
            _convert,
            options={"zipmap": [True, False, "columns"], "nocl": [True, False]},
        )


def to_onnx(model: Any, dtype: Any) -> Any:
    """Return a classifier as an ONNX model; see `ZeroOneClassifier.to_onnx`."""
    register_onnx()
    from skl2onnx import to_onnx as convert
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    refuse_encoding(model)
    kinds = {"float32": FloatTensorType, "float64": DoubleTensorType}
    name = np.dtype(dtype).name
    if name not in kinds:
        raise ArgumentError("dtype", f"got {dtype!r}, expected 'float32' or 'float64'")
    return convert(
        model,
        initial_types=[("X", kinds[name]([None, model.n_features_in_]))],
        options={id(model): {"zipmap": False}},
        target_opset=_OPSET,
    )
