package driver

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"./a", "./b", "./clean"}, "3 packages, 5 findings"},
		{[]string{"-json", "./a"}, "1 package, 1 finding"},
		{[]string{"./clean"}, "1 package, 0 findings"},
		{[]string{"./nosuch"}, ""},
		{[]string{"-why=wicked", "./b"}, ""},
	} {
		if _, got := w.summarized(test.args...); got != test.want {
			t.Errorf("%s: summary %q, want %q", test.args, got, test.want)
		}
	}
}

// TestSuggest checks that a command line is suggested if the patterns are missing and there is
// a module.
func TestSuggest(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	w.atomvet().want(t, 2, lines(), "no Go files in", "type: atomvet ./...")
	if r := w.atomvet("."); strings.Contains(r.stderr, "type:") {
		t.Errorf("there is a suggestion for a package that was named:\n%s", r.stderr)
	}
	w = newWorkspace(t, "-- go.work/README --\n-- deep/sub/go.mod --\nmodule p\n")
	w.atomvet().want(t, 2, lines(), "type: atomvet -C "+filepath.Join("deep", "sub")+" ./...")
	newWorkspace(t, "").atomvet().want(t, 2, lines(), "go.mod file not found")
}
