package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Project is a checkout of real code with labels, in testdata/realcode, for reports
// that a reader has judged.
type Project struct {
	Source
	labels map[place]string
}

// A place is the position and category of a label.
type place struct {
	File         string
	Line, Column int
	Category     string
}

// Projects returns the projects of a list NAME=DIR,…, with their labels from the module
// whose directory is root.
func Projects(root, list string) ([]*Project, error) {
	var out []*Project
	for entry := range strings.SplitSeq(list, ",") {
		if entry == "" {
			continue
		}
		name, dir, ok := strings.Cut(entry, "=")
		if !ok {
			return nil, fmt.Errorf("project %q is not NAME=DIR", entry)
		}
		p, err := newProject(filepath.Join(root, "testdata", "realcode", name+".json"), name, dir)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func newProject(file, name, dir string) (*Project, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var labels struct {
		Packages, Flags []string
		Reports         []struct {
			place
			Label string
		}
	}
	if err := json.Unmarshal(data, &labels); err != nil {
		return nil, fmt.Errorf("%s: %v", file, err)
	}
	p := &Project{
		Source: Source{Name: name, Dir: dir, Patterns: labels.Packages, Tests: true},
		labels: make(map[place]string),
	}
	for _, f := range labels.Flags {
		if f == "-tests=false" {
			p.Tests = false
		} else {
			p.Flags = append(p.Flags, f)
		}
	}
	for _, r := range labels.Reports {
		p.labels[r.place] = r.Label
	}
	return p, nil
}

// Label returns the label of a report: true, benign or false, or "" if it has no label.
func (p *Project) Label(r Report) string {
	return p.labels[place{r.File, r.Line, r.Column, r.Category}]
}
