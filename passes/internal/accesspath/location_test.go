package accesspath

import "testing"

// The location of a flag has that of its channel or context as a prefix, and is of the same kind: a field, a package
// variable or a local variable.
func TestFlag(t *testing.T) {
	for _, test := range []struct {
		of, flag   Location
		name, last string
		typ        string
		variable   bool
	}{
		{"p#T.done", "p#T.done!closed", "T.done.closed", "closed", "T", false},
		{"@p#done", "@p#done!closed", "done.closed", "closed", "", false},
		{"p#(*T).run{quit@17}", "p#(*T).run{quit!closed@17}", "quit.closed", "closed", "", true},
	} {
		flag := test.of.Flag("closed")
		if flag != test.flag || !flag.IsFlag() || test.of.IsFlag() {
			t.Errorf("%s: flag %s, want %s", test.of, flag, test.flag)
		}
		if flag.Name() != test.name || flag.LastField() != test.last || flag.Type() != test.typ || flag.IsVariable() != test.variable || flag.Pkg() != "p" {
			t.Errorf("%s: name %q, last field %q, type %q, variable %v, package %q", flag, flag.Name(), flag.LastField(), flag.Type(), flag.IsVariable(), flag.Pkg())
		}
		if path := flag.Of("p0"); path != Path("p0").Field("closed") {
			t.Errorf("%s of p0: %s", flag, path)
		}
	}
}
