// Repros makes the findings happen that are in testdata.
//
//	go run ./cmd/repros [-tool binary] [-update] [name ...]
//	go run ./cmd/repros -root DIR [-tool binary] [-load DIR] [name ...]
//
// Without -root it lets atomvet repro write a test for each finding in the mistakes of
// testdata/kernels, or in those with the given names. It prints a line for each finding: whether the
// test that is found shows an outcome that no serial order has, or the rival only interferes, or what
// is missing. With -update the lines are kept in testdata/kernels/repro.tsv.
//
// With -root it runs the tests that are kept in testdata/realcode/repro, with the switch of their
// finding, in the checkouts that are in the directory: those of FOUND.md, at the commits named there.
// Checkouts are not changed. The first comment of a test says which project, package and finding it is
// for. With -load what atomvet reports on the projects is read from the directory in which realcode -save
// has kept it, so that only the packages of the tests are compiled.
//
// The exit code is 1 if a kept test does not show its finding, and 2 if something failed.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// A runner runs atomvet.
type runner struct {
	root string // of this module
	tool string
}

// A verdict is what atomvet repro -json prints.
type verdict struct {
	Finding, Verdict, Missing, Outcome string
	Trials                             int
}

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "repros: %v\n", err)
		code = 2
	}
	os.Exit(code)
}

func run() (int, error) {
	tool := flag.String("tool", "", "")
	checkouts := flag.String("root", "", "")
	load := flag.String("load", "", "")
	update := flag.Bool("update", false, "")
	flag.Parse()
	root, err := repo.Root("")
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "repros")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	r := &runner{root: root, tool: *tool}
	if r.tool == "" {
		r.tool = filepath.Join(dir, "atomvet")
		cmd := exec.Command("go", "build", "-o", r.tool, "./cmd/atomvet")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, err
		}
	} else if r.tool, err = filepath.Abs(r.tool); err != nil {
		return 0, err
	}
	if *checkouts != "" {
		if *load != "" {
			if *load, err = filepath.Abs(*load); err != nil {
				return 0, err
			}
		}
		return r.kept(*checkouts, *load, flag.Args())
	}
	return 0, r.kernels(flag.Args(), *update)
}

// limit bounds the time of one finding.
const limit = 5 * time.Minute

// repro runs atomvet repro in a directory.
func (r *runner) repro(dir string, args ...string) (*verdict, error) {
	cmd := exec.Command(r.tool, append([]string{"repro", "-json", "-limit=" + limit.String()}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	v := new(verdict)
	if err := json.Unmarshal(out, v); err != nil {
		return nil, errors.New(string(bytes.TrimSpace(stderr.Bytes())))
	}
	return v, nil
}
