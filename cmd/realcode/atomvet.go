package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// findings is what atomvet says of a project.
type findings struct {
	reports []report
	partial bool // some packages could not be checked
}

// analyse runs atomvet in a checkout, or reads what it has printed in an earlier run.
func (c *command) analyse(t target, opts *options, flags []string) (*findings, error) {
	out, partial, err := c.output(t, opts, flags)
	if err != nil {
		return nil, err
	}
	reports, err := parseReports(out, t.dir)
	return &findings{reports, partial}, err
}

func (c *command) output(t target, opts *options, flags []string) (out []byte, partial bool, err error) {
	if opts.load != "" {
		out, err = os.ReadFile(filepath.Join(opts.load, t.name+".json"))
		return out, false, err
	}
	if opts.save != "" {
		if err := os.MkdirAll(opts.save, 0o777); err != nil {
			return nil, false, err
		}
	}
	if out, partial, err = c.execute(t.dir, opts.tool, flags, t.Packages); err != nil || opts.save == "" {
		return out, partial, err
	}
	return out, partial, os.WriteFile(filepath.Join(opts.save, t.name+".json"), out, 0o666)
}

// build builds atomvet, as it is now, in a directory.
func (c *command) build(dir string) (tool string, err error) {
	tool = filepath.Join(dir, "atomvet")
	build := exec.Command("go", "build", "-o", tool, "./cmd/atomvet")
	build.Dir = c.root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/atomvet: %v\n%s", err, out)
	}
	return tool, nil
}

func (c *command) execute(dir, tool string, flags, packages []string) (out []byte, partial bool, err error) {
	cmd := exec.Command(tool, slices.Concat([]string{"-json"}, flags, packages)...)
	cmd.Dir = dir
	cmd.Stderr = c.stderr
	out, err = cmd.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out, false, nil
	case !errors.As(err, &exit):
		return nil, false, fmt.Errorf("atomvet: %v", err)
	case exit.ExitCode() == 1: // there are reports
		return out, false, nil
	case exit.ExitCode() == 2 && len(out) > 0:
		return out, true, nil
	}
	return nil, false, fmt.Errorf("atomvet: %v", err)
}

// parseReports reads what atomvet -json prints.
func parseReports(data []byte, dir string) ([]report, error) {
	var doc struct {
		Findings []struct {
			File, Category, Message string
			Line, Column            int
			Related                 []struct {
				File    string
				Line    int
				Message string
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("unexpected output of atomvet: %v", err)
	}
	var reports []report
	for _, f := range doc.Findings {
		r := report{
			identity: identity{
				File:     relative(dir, f.File),
				Category: f.Category,
				Location: locationOf(f.Category, f.Message),
			},
			Line:    f.Line,
			Column:  f.Column,
			message: f.Message,
		}
		for _, n := range f.Related {
			r.notes = append(r.notes, spot{relative(dir, n.File), n.Line, further(n.Message)})
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// further returns the category of a related position that is a finding by itself, which
// atomvet has folded into the report, and "" for others.
func further(message string) string {
	text, ok := strings.CutPrefix(message, "also ")
	category, _, found := strings.Cut(text, ": ")
	if !ok || !found || strings.Contains(category, " ") {
		return ""
	}
	return category
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
