package corpus

import "path/filepath"

// Unit returns the test data of a detector as a corpus: a tree as analysistest reads it.
func Unit(name, testdata string) (Source, error) {
	gopath, err := filepath.Abs(testdata)
	return Source{
		Name:     name,
		Dir:      filepath.Join(gopath, "src"),
		Patterns: []string{"./..."},
		Tests:    true,
		Env:      []string{"GOPATH=" + gopath, "GO111MODULE=off", "GOWORK=off"},
	}, err
}

// Module returns a part of testdata in the module whose directory is root: kernels of
// real bugs, idioms, which are correct, or papers, which has the programs of the papers.
func Module(name, root string) Source {
	return Source{Name: name, Dir: root, Patterns: []string{"./testdata/" + name + "/..."}, Tests: true}
}

// Own returns all corpora of the module whose directory is root: the test data of the
// detectors, then those below testdata.
func Own(root string, detectors ...string) ([]Source, error) {
	var out []Source
	for _, d := range detectors {
		src, err := Unit(d, filepath.Join(root, "passes", d, "testdata"))
		if err != nil {
			return nil, err
		}
		out = append(out, src)
	}
	for _, name := range []string{"kernels", "idioms", "papers"} {
		out = append(out, Module(name, root))
	}
	return out, nil
}
