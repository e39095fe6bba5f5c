"""What zerone's parts and fits cost, beside what they cannot do without and what people run.

Run: python -m benchmarks [SECTION ...] [--quick] [--output DIR] [--data-dir DIR]
"""
