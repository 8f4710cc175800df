package main

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// An evaluation is what the modes report about the programs.
type evaluation struct {
	root   string // of the module
	suites []*suite
	all    bool // no program was left out
}

// evaluate runs all modes over the programs whose names match.
func evaluate(dir string, only *regexp.Regexp) (*evaluation, error) {
	root, err := repo.Root(dir)
	if err != nil {
		return nil, err
	}
	suites, err := loadSuites(root)
	if err != nil {
		return nil, err
	}
	reports, err := vet(root, "./"+papersDir+"/...")
	if err != nil {
		return nil, err
	}
	if err := distribute(reports, suites); err != nil {
		return nil, err
	}
	e := &evaluation{root: root, suites: suites, all: true}
	for _, s := range suites {
		s.programs = e.selected(s.programs, only)
	}
	return e, nil
}

// distribute gives each report to its program.
func distribute(reports []report, suites []*suite) error {
	programs := make(map[string]*program)
	for _, s := range suites {
		for _, p := range s.programs {
			p.reports = make(map[string][]report)
			programs[p.dir()] = p
		}
	}
	for _, r := range reports {
		p := programs[path.Dir(r.file)]
		if p == nil {
			return fmt.Errorf("%s:%d: report in no program: %s", r.file, r.line, headline(&r))
		}
		p.reports[r.mode] = append(p.reports[r.mode], r)
	}
	return nil
}

func (e *evaluation) selected(programs []*program, only *regexp.Regexp) []*program {
	var out []*program
	for _, p := range programs {
		if only.MatchString(p.suite.name + "/" + p.name) {
			out = append(out, p)
		} else {
			e.all = false
		}
	}
	return out
}

// deviations returns all deviations.
func (e *evaluation) deviations() []deviation {
	var out []deviation
	for _, s := range e.suites {
		for _, p := range s.programs {
			out = append(out, p.deviations()...)
		}
		if e.all {
			out = append(out, s.checkTotals()...)
		}
	}
	return out
}

// checkTotals checks that the figures of the papers add up to what is printed
// below them.
func (s *suite) checkTotals() []deviation {
	var out []deviation
	for i, t := range s.Tables {
		for _, paper := range t.Papers {
			for _, field := range paper.Fields {
				want, ok := paper.Total.number(field)
				if !ok {
					continue
				}
				sum, _ := paper.Others.number(field)
				for _, p := range s.programs {
					if s.tableOf(p.name) == i {
						n, _ := p.Papers[paper.Name].number(field)
						sum += n
					}
				}
				if sum != want {
					out = append(out, deviation{s.path(), lineWith(s.data, `"`+paper.Name+`"`),
						fmt.Sprintf("%s, %s: %q of the programs adds up to %d, the total is %d", t.Title, paper.Name, field, sum, want)})
				}
			}
		}
	}
	return out
}

// list prints every report with its label.
func (e *evaluation) list(w io.Writer) {
	for _, s := range e.suites {
		for _, p := range s.programs {
			for _, m := range modes {
				if s.checks(m) {
					p.list(w, m)
				}
			}
		}
	}
}

func (p *program) list(w io.Writer, m mode) {
	for _, match := range p.match(m.name) {
		if r := match.report; r != nil {
			label := unlabelled
			if match.same() {
				label = strings.Join(append([]string{match.entry.Label}, match.entry.Violation...), " ")
			}
			fmt.Fprintf(w, "%s:%d: %s: %s: %s\n", r.file, r.line, m.name, label, headline(r))
		}
	}
	for _, e := range p.Expect[m.name] {
		if e.Label == isMissed {
			fmt.Fprintf(w, "%s:1: %s: %s %s\n", p.file, m.name, e.Label, strings.Join(e.Violation, " "))
		}
	}
}
