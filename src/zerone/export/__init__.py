"""Export of models: model files, SQL and ONNX."""

from zerone.export._model_file import load_model
from zerone.export._onnx import register_onnx

__all__ = ["load_model", "register_onnx"]
