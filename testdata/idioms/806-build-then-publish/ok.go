// Package geoindex answers which region an address range belongs to. The index
// is rebuilt from a dump whenever a new one arrives.
package geoindex

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
)

// Region is a decoded region descriptor.
type Region struct {
	Name string
	Tags []string
}

// Index maps range prefixes to regions. Descriptors are decoded when they are
// first asked for, so that lookups write as well; hence the lock.
type Index struct {
	mu      sync.Mutex
	raw     map[string]string
	decoded map[string]*Region
	dups    int
}

func newIndex() *Index {
	return &Index{raw: make(map[string]string), decoded: make(map[string]*Region)}
}

// has reports whether prefix is in the index.
func (x *Index) has(prefix string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.raw[prefix]
	return ok
}

// put adds the descriptor of prefix.
func (x *Index) put(prefix, desc string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw[prefix] = desc
}

// duplicate counts a prefix that occurred again.
func (x *Index) duplicate() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dups++
}

// Lookup returns the region of prefix.
func (x *Index) Lookup(prefix string) (*Region, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if r, ok := x.decoded[prefix]; ok {
		return r, true
	}
	desc, ok := x.raw[prefix]
	if !ok {
		return nil, false
	}
	name, tags, _ := strings.Cut(desc, ";")
	r := &Region{Name: name, Tags: strings.Split(tags, ",")}
	x.decoded[prefix] = r
	return r, true
}

// Size returns the number of prefixes and of duplicates that were left out.
func (x *Index) Size() (prefixes, dups int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.raw), x.dups
}

// read makes an index from a dump: lines of prefix, blank, descriptor. The
// first line of a prefix counts.
func read(in io.Reader) (*Index, error) {
	x := newIndex()
	sc := bufio.NewScanner(in)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		prefix, desc, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("geoindex: line %d: no descriptor", n)
		}
		if x.has(prefix) {
			x.duplicate()
			continue
		}
		x.put(prefix, desc)
	}
	return x, sc.Err()
}

// Service answers lookups from the newest dump. It is safe for concurrent use.
type Service struct {
	open func() (io.ReadCloser, error)

	reload sync.Mutex // one reload at a time
	cur    atomic.Pointer[Index]
}

// NewService returns a Service that reads dumps with open. It knows nothing
// before the first Reload.
func NewService(open func() (io.ReadCloser, error)) *Service {
	s := &Service{open: open}
	s.cur.Store(newIndex())
	return s
}

// Reload reads the newest dump. After an error the old one stays.
func (s *Service) Reload() error {
	s.reload.Lock()
	defer s.reload.Unlock()
	in, err := s.open()
	if err != nil {
		return err
	}
	defer in.Close()
	x, err := read(in)
	if err != nil {
		return err
	}
	s.cur.Store(x)
	return nil
}

// Region returns the region of the longest known prefix of addr.
func (s *Service) Region(addr string) (*Region, bool) {
	x := s.cur.Load()
	for n := len(addr); n > 0; n-- {
		if r, ok := x.Lookup(addr[:n]); ok {
			return r, true
		}
	}
	return nil, false
}

// Size returns the size of the current index.
func (s *Service) Size() (prefixes, dups int) { return s.cur.Load().Size() }
