package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

const papersDir = "testdata/papers" // in the module

// A suite has the programs of one paper: a suite.json, and a directory beside it
// for each program.
type suite struct {
	name string

	Title string `json:"title"`
	About string `json:"about"`

	// Columns are the modes that are meant to find something in these programs,
	// and atomvet, which is all detectors as they are by default.
	Columns []string `json:"columns"`
	Tables  []table  `json:"tables"`

	programs []*program
	data     []byte // of suite.json
}

// allDetectors is the column of the detectors as they are by default.
const allDetectors = "atomvet"

// A table is one of the paper's.
type table struct {
	Title string `json:"title"`
	About string `json:"about"`

	// Programs are the programs that the paper has figures of, in its order.
	// Variants, which are called name_variant, go with them.
	Programs []string `json:"programs"`
	Papers   []paper  `json:"papers"`
}

// A paper is a column of figures as a paper has printed them.
type paper struct {
	Name   string   `json:"name"`
	Fields []string `json:"fields"`
	Total  figures  `json:"total"`
	Others figures  `json:"others"` // of the programs that are not rebuilt
}

func loadSuites(root string) ([]*suite, error) {
	entries, err := os.ReadDir(filepath.Join(root, papersDir))
	if err != nil {
		return nil, err
	}
	var suites []*suite
	for _, entry := range entries {
		if !entry.IsDir() {
			continue // the README
		}
		s, err := loadSuite(root, entry.Name())
		if err != nil {
			return nil, err
		}
		suites = append(suites, s)
	}
	return suites, nil
}

func loadSuite(root, name string) (*suite, error) {
	s := &suite{name: name}
	data, err := os.ReadFile(filepath.Join(root, s.path()))
	if err != nil {
		return nil, err
	}
	s.data = data
	if err := repo.Decode(data, s); err != nil {
		return nil, fmt.Errorf("%s:%d: %v", s.path(), errorLine(data, err), err)
	}
	entries, err := os.ReadDir(filepath.Join(root, papersDir, name))
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		p, err := loadProgram(root, s, entry.Name())
		if err != nil {
			return nil, err
		}
		s.programs = append(s.programs, p)
	}
	return s, s.validate()
}

func (s *suite) path() string { return path.Join(papersDir, s.name, "suite.json") }

func (s *suite) validate() error {
	for _, c := range s.Columns {
		if c != allDetectors && modeNamed(c) == nil {
			return fmt.Errorf("%s:%d: no mode %s", s.path(), lineWith(s.data, c), c)
		}
	}
	if len(s.Tables) == 0 {
		return fmt.Errorf("%s:1: no tables", s.path())
	}
	for _, t := range s.Tables {
		for _, name := range t.Programs {
			if !slices.ContainsFunc(s.programs, func(p *program) bool { return p.name == name }) {
				return fmt.Errorf("%s:%d: no program %s", s.path(), lineWith(s.data, `"`+name+`"`), name)
			}
		}
	}
	return nil
}

// inScope reports whether a column is one of the suite.
func (s *suite) inScope(column string) bool { return slices.Contains(s.Columns, column) }

// checks reports whether all reports of m are expected ones. Those of a detector
// as it is by default are so everywhere.
func (s *suite) checks(m mode) bool { return m.standard || s.inScope(m.name) }

// tableOf returns the index of the table that a program is in.
func (s *suite) tableOf(name string) int {
	for i, t := range s.Tables {
		for _, listed := range t.Programs {
			if name == listed || strings.HasPrefix(name, listed+"_") {
				return i
			}
		}
	}
	return 0
}

// ofPaper reports whether the paper has figures of the program.
func (s *suite) ofPaper(name string) bool {
	return slices.ContainsFunc(s.Tables, func(t table) bool { return slices.Contains(t.Programs, name) })
}
