// Package owned has objects of another package for itself.
package owned

import (
	"sync"

	"base"
)

// Owner has a lock around what it does to both.
type Owner struct {
	mu   sync.Mutex
	open base.Open
}

// Add holds the lock of the owner over two sections of the inner object.
//
//atomvet:unit
func (o *Owner) Add(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open.Mu.Lock()
	x := o.open.X
	o.open.Mu.Unlock()
	o.open.Mu.Lock()
	o.open.X = x + n
	o.open.Mu.Unlock()
}

// Apart does not, but nobody else can call the methods of the inner object.
//
//atomvet:unit
func (o *Owner) Apart() int {
	o.open.Mu.Lock()
	x := o.open.X
	o.open.Mu.Unlock()
	o.open.Mu.Lock()
	defer o.open.Mu.Unlock()
	return o.open.Y - x
}

// A Sharer has one that others may have, too.
type Sharer struct {
	open *base.Open
}

// Apart reads it in two sections.
//
//atomvet:unit
func (s *Sharer) Apart() int {
	s.open.Mu.Lock()
	x := s.open.X
	s.open.Mu.Unlock()
	s.open.Mu.Lock()
	defer s.open.Mu.Unlock()
	return s.open.Y - x // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Sharer\)\.Apart is not .*, if \(\*Open\)\.Move comes`
}
