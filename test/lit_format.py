"""The test format of this suite. A module of its own because lit sends it to its worker processes."""
import lit.formats


class StrettoTest(lit.formats.ShTest):
    """Shell tests; Python files without a RUN line are modules, not tests."""

    def getTestsForPath(self, suite, path, litConfig, localConfig):
        for test in super().getTestsForPath(suite, path, litConfig, localConfig):
            if path[-1].endswith(".py"):
                with open(test.getSourcePath(), encoding="utf-8") as file:
                    if "RUN:" not in file.read():
                        continue
            yield test
