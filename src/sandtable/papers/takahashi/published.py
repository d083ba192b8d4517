"""The figures of takahashi as it prints them."""

ACCURACY = {  # Table 1, per cent, at the best epoch
    "gcn": {"simple train": 94.2, "complex train": 91.7, "simple test": 93.4, "complex test": 90.0},
    "cnn": {"simple train": 95.6, "complex train": 96.8, "simple test": 85.7, "complex test": 82.2},
    "a": {"simple train": 95.8, "complex train": 94.3, "simple test": 92.4, "complex test": 88.7},
    "b": {"simple train": 96.5, "complex train": 94.9, "simple test": 92.6, "complex test": 89.1},
    "c": {"simple train": 95.5, "complex train": 91.7, "simple test": 87.9, "complex test": 85.5},
}

GAMES = 5000  # of each kind of maps, sections 5.1 and 5.2
TEST_SHARE, BATCH, EPOCHS = 0.2, 2000, 50  # section 5.3

STATES = {  # section 5.2
    "simple": {"win": 69_121, "loss": 45_766, "tie": 2_569, "total": 117_456},
    "complex": {"win": 102_831, "loss": 66_743, "tie": 5_959, "total": 175_533},
}
