package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// With -observe the programs run under atomvet observe, which does at run time what two of the
// papers' tools do. What it sees depends on the schedule; the tests of the programs bring about the
// schedules that matter.

// observedPlace is where the table is.
var observedPlace = place{"testdata/papers/README.md", "<!-- observed -->\n", "<!-- /observed -->\n"}

// observed counts what was seen of one program: view conflicts by the plain definition, those that only
// the refinement by reads and writes has, stale values, and lost updates.
type observed struct {
	views, refined, stale, lost int
}

// runTime are the papers whose figures are from run-time tools, with their fields.
var runTime = []struct{ name, field string }{{"VC", "conflicts"}, {"JPaX", "warnings"}, {"JNuke", "warnings"}}

// observe runs the tests of programs.
func observe(root string, suites []*suite, stderr io.Writer) (map[string]*observed, error) {
	args := []string{"run", "./cmd/atomvet", "observe", "-json", "-limit=30m"}
	for _, s := range suites {
		for _, p := range s.programs {
			args = append(args, "./"+p.dir()+"/...")
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, stderr
	out, err := cmd.Output()
	// That something is seen is no failure; go run has the exit code 1 for all codes.
	var doc struct {
		Reports []struct {
			Category, File string
			Plain          bool
		}
		Failed map[string]string
	}
	if jsonErr := json.NewDecoder(bytes.NewReader(out)).Decode(&doc); jsonErr != nil {
		return nil, fmt.Errorf("atomvet observe: %v, %v", err, jsonErr)
	}
	if len(doc.Failed) > 0 {
		return nil, fmt.Errorf("%d tests failed while they were observed", len(doc.Failed))
	}
	seen := make(map[string]*observed)
	for _, r := range doc.Reports {
		dir := path.Dir(strings.TrimPrefix(r.File, root+"/"))
		o := seen[dir]
		if o == nil {
			o = new(observed)
			seen[dir] = o
		}
		switch {
		case r.Category == "stale-value":
			o.stale++
		case r.Category == "lost-update":
			o.lost++
		case r.Plain:
			o.views++
		default:
			o.refined++
		}
	}
	return seen, nil
}

// printObserved prints a row for each program of which a paper has figures of a run-time tool, and
// for each suite the sums of the programs that have a violation and of those that have none.
func printObserved(w io.Writer, suites []*suite, seen map[string]*observed) {
	g := grid{rows: [][]string{{"program", "AV", "view conflicts", "*VC, JPaX*", "by reads and writes", "stale values", "*JNuke*", "lost updates"}}}
	var wrong, right sum
	for _, s := range suites {
		for _, p := range s.programs {
			o := seen[p.dir()]
			if o == nil {
				o = new(observed)
			}
			if len(p.Violations) > 0 {
				wrong.add(o)
			} else {
				right.add(o)
			}
			views, jnuke := figure(p, "VC", "JPaX"), figure(p, "JNuke")
			if views+jnuke != "" {
				g.add([]string{p.label(), fmt.Sprint(len(p.Violations)), fmt.Sprint(o.views), views, fmt.Sprint(o.refined), fmt.Sprint(o.stale), jnuke, fmt.Sprint(o.lost)})
			}
		}
	}
	g.add(wrong.cells("all with a violation, seen/programs"))
	g.add(right.cells("all without one, seen/programs"))
	g.print(w)
}

// figure returns the figure of the first paper that has one.
func figure(p *program, papers ...string) string {
	for _, name := range papers {
		for _, tool := range runTime {
			if n, ok := p.Papers[name].number(tool.field); ok && tool.name == name {
				return fmt.Sprint(n)
			}
		}
	}
	return ""
}

// A sum counts programs, and those of which something was seen.
type sum struct{ programs, views, refined, stale, lost int }

func (s *sum) add(o *observed) {
	s.programs++
	for _, x := range []struct {
		to *int
		n  int
	}{{&s.views, o.views}, {&s.refined, o.refined}, {&s.stale, o.stale}, {&s.lost, o.lost}} {
		if x.n > 0 {
			*x.to++
		}
	}
}

func (s *sum) cells(label string) []string {
	of := func(n int) string { return fmt.Sprintf("%d/%d", n, s.programs) }
	return []string{"**" + label + "**", "", of(s.views), "", of(s.refined), of(s.stale), "", of(s.lost)}
}

// runObserve is the program with -observe.
func runObserve(root string, only *regexp.Regexp, update bool, stdout io.Writer) error {
	suites, err := loadSuites(root)
	if err != nil {
		return err
	}
	for _, s := range suites {
		s.programs = slices.DeleteFunc(s.programs, func(p *program) bool { return !only.MatchString(p.suite.name + "/" + p.name) })
	}
	seen, err := observe(root, suites, os.Stderr)
	if err != nil {
		return err
	}
	var table strings.Builder
	printObserved(&table, suites, seen)
	if update {
		err = observedPlace.put(root, table.String())
	}
	_, printed := io.WriteString(stdout, table.String())
	return errors.Join(err, printed)
}
