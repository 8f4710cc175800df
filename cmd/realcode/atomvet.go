package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// findings is what atomvet says of a project.
type findings struct {
	reports []report
	partial bool // some packages could not be checked
}

// analyse builds atomvet, as it is now, and runs it in a checkout.
func (c *command) analyse(dir string, flags, packages []string) (*findings, error) {
	tmp, err := os.MkdirTemp("", "realcode")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	tool := filepath.Join(tmp, "atomvet")
	build := exec.Command("go", "build", "-o", tool, "./cmd/atomvet")
	build.Dir = c.root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/atomvet: %v\n%s", err, out)
	}

	cmd := exec.Command(tool, slices.Concat([]string{"-json"}, flags, packages)...)
	cmd.Dir = dir
	cmd.Stderr = c.stderr
	out, err := cmd.Output()
	found := new(findings)
	var exit *exec.ExitError
	switch {
	case err == nil:
	case !errors.As(err, &exit):
		return nil, fmt.Errorf("atomvet: %v", err)
	case exit.ExitCode() == 1: // there are reports
	case exit.ExitCode() == 2 && len(out) > 0:
		found.partial = true
	default:
		return nil, fmt.Errorf("atomvet: %v", err)
	}
	found.reports, err = parseReports(out, dir)
	return found, err
}

// parseReports reads what atomvet -json prints.
func parseReports(data []byte, dir string) ([]report, error) {
	var doc struct {
		Findings []struct {
			File, Category, Message string
			Line, Column            int
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("unexpected output of atomvet: %v", err)
	}
	var reports []report
	for _, f := range doc.Findings {
		reports = append(reports, report{
			File:     relative(dir, f.File),
			Line:     f.Line,
			Column:   f.Column,
			Category: f.Category,
			message:  f.Message,
		})
	}
	return reports, nil
}

// relative returns the name of a file in a checkout as labels have it. A file that is
// elsewhere, such as one that was generated, keeps its name.
func relative(dir, file string) string {
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}
