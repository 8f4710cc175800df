package passes_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPapers runs the tests of the papers' programs, which show that what is said
// to be wrong with them is. Patterns leave out what is below testdata, so that
// they have to be asked for.
func TestPapers(t *testing.T) {
	cmd := exec.Command("go", "test", "./testdata/papers/...")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "ok  \t"); n < 100 {
		t.Errorf("%d programs have tests:\n%s", n, out)
	}
}
