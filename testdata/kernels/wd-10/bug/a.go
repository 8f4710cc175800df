// Package a turns the addresses of a crash report into function names.
package a

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"
)

var ErrLoaded = errors.New("crash: symbols are loaded already")

// Symbol is the start address of a function.
type Symbol struct {
	Addr uint64
	Name string
}

// table is sorted by address and is not changed once it is built.
type table struct {
	build   string
	symbols []Symbol
}

func newTable(build string, symbols []Symbol) *table {
	t := &table{build: build, symbols: slices.Clone(symbols)}
	slices.SortFunc(t.symbols, func(a, b Symbol) int {
		switch {
		case a.Addr < b.Addr:
			return -1
		case a.Addr > b.Addr:
			return 1
		}
		return 0
	})
	return t
}

func (t *table) find(pc uint64) (string, bool) {
	i := sort.Search(len(t.symbols), func(i int) bool { return t.symbols[i].Addr > pc })
	if i == 0 {
		return "", false
	}
	s := t.symbols[i-1]
	return fmt.Sprintf("%s+%#x", s.Name, pc-s.Addr), true
}

// Symbolizer is created at start-up; the symbols arrive later in the
// background and are loaded once.
type Symbolizer struct {
	ready  atomic.Bool
	symtab atomic.Pointer[table]
	misses atomic.Int64
}

// NewSymbolizer returns a symbolizer without symbols.
func NewSymbolizer() *Symbolizer {
	return &Symbolizer{}
}

// Load installs the symbols of the running build.
func (s *Symbolizer) Load(build string, symbols []Symbol) error {
	if !s.ready.CompareAndSwap(false, true) {
		return ErrLoaded
	}
	s.symtab.Store(newTable(build, symbols))
	return nil
}

// Ready reports whether names can be resolved.
func (s *Symbolizer) Ready() bool {
	return s.ready.Load()
}

// Resolve names the function of an address, or prints the address while
// there are no symbols.
func (s *Symbolizer) Resolve(pc uint64) string {
	if s.ready.Load() {
		if name, ok := s.symtab.Load().find(pc); ok {
			return name
		}
		s.misses.Add(1)
	}
	return fmt.Sprintf("%#x", pc)
}

// Trace resolves a whole stack.
func (s *Symbolizer) Trace(pcs []uint64) []string {
	lines := make([]string, 0, len(pcs))
	for _, pc := range pcs {
		lines = append(lines, s.Resolve(pc))
	}
	return lines
}

// Misses returns how many addresses belonged to no symbol.
func (s *Symbolizer) Misses() int64 {
	return s.misses.Load()
}
