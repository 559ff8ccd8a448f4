"""Fitted models for other programs: documents, scikit-learn's trees, SQL, ONNX, SHAP."""
