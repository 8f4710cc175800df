package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A report is what a mode says about one place.
type report struct {
	mode     string
	file     string // relative to the module, with slashes
	line     int
	column   int
	category string
	message  string
}

func compareReports(a, b report) int {
	return cmp.Or(
		cmp.Compare(a.file, b.file),
		cmp.Compare(a.line, b.line),
		cmp.Compare(a.mode, b.mode),
		cmp.Compare(a.column, b.column),
		cmp.Compare(a.category, b.category),
		cmp.Compare(a.message, b.message),
	)
}

// isTool reports whether these are the arguments that go vet gives to a vettool.
func isTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return last == "-V=full" || last == "-flags" || strings.HasSuffix(last, ".cfg")
}

// vet runs all modes over the packages and returns what they report.
func vet(root string, patterns ...string) ([]report, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", append([]string{"vet", "-vettool=" + self, "-json"}, patterns...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// With -json reports are no failure.
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go vet: %v\n%s", err, stderr.Bytes())
	}
	return parseReports(bytes.NewReader(out), root)
}

// parseReports reads what go vet -json prints: one object for each package it
// has checked. Reports in tests are left out, and so are repeated ones: a file
// is checked once as a part of its package and once more with its tests.
func parseReports(r io.Reader, root string) ([]report, error) {
	var reports []report
	units := 0
	for dec := json.NewDecoder(r); ; units++ {
		var unit map[string]map[string]json.RawMessage // package, mode
		err := dec.Decode(&unit)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("unexpected output from go vet: %v", err)
		}
		for pkg, results := range unit {
			for mode, result := range results {
				found, err := parseResult(mode, result, root)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %v", pkg, mode, err)
				}
				reports = append(reports, found...)
			}
		}
	}
	if units == 0 {
		return nil, errors.New("go vet has checked nothing; Go 1.26 or later is needed")
	}
	slices.SortFunc(reports, compareReports)
	return slices.Compact(reports), nil
}

func parseResult(mode string, result json.RawMessage, root string) ([]report, error) {
	var failed struct{ Error string }
	if json.Unmarshal(result, &failed) == nil {
		return nil, errors.New(failed.Error)
	}
	var diagnostics []struct{ Category, Posn, Message string }
	if err := json.Unmarshal(result, &diagnostics); err != nil {
		return nil, err
	}
	m := modeNamed(mode)
	if m == nil {
		return nil, errors.New("no such mode")
	}
	var out []report
	for _, d := range diagnostics {
		r := report{mode: mode, category: d.Category, message: d.Message}
		if err := r.setPosition(d.Posn, root); err != nil {
			return nil, err
		}
		if r.category == "failure" {
			return nil, errors.New(r.message)
		}
		if !strings.HasSuffix(r.file, "_test.go") && (m.only == "" || m.only == r.category) {
			out = append(out, r)
		}
	}
	return out, nil
}

// setPosition reads "file:line:column".
func (r *report) setPosition(posn, root string) error {
	rest, column, ok := cutLast(posn)
	file, line, ok2 := cutLast(rest)
	if !ok || !ok2 {
		return fmt.Errorf("position %q", posn)
	}
	name, err := filepath.Rel(root, file)
	if err != nil {
		return err
	}
	r.file, r.line, r.column = filepath.ToSlash(name), line, column
	return nil
}

// cutLast cuts a number after a colon off.
func cutLast(s string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}
