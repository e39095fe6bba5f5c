"""Export of models: model files, SQL, ONNX and plain values."""

from zerone.export._model_file import load_model
from zerone.export._onnx import register_onnx
from zerone.export._rule import rule_as_dict

__all__ = ["load_model", "register_onnx", "rule_as_dict"]
