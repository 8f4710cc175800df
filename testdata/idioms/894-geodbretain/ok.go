// Package geodb looks addresses up in a database file that is replaced while
// the service runs.
package geodb

import (
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned once the service has been closed.
var ErrClosed = errors.New("geodb: closed")

const rowSize = 4

// database is one open file. The file is closed when the last reference goes;
// a database without references never gets one again.
type database struct {
	file *os.File
	refs atomic.Int32
}

// tryRetain takes a reference unless there is none left.
func (d *database) tryRetain() bool {
	for {
		n := d.refs.Load()
		if n == 0 {
			return false
		}
		if d.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (d *database) release() {
	if d.refs.Add(-1) == 0 {
		d.file.Close()
	}
}

func (d *database) country(prefix uint16) (uint32, error) {
	var row [rowSize]byte
	if _, err := d.file.ReadAt(row[:], int64(prefix)*rowSize); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(row[:]), nil
}

func open(path string) (*database, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	d := &database{file: f}
	d.refs.Store(1)
	return d, nil
}

// Service answers lookups. It is safe for concurrent use.
type Service struct {
	current atomic.Pointer[database] // nil once closed

	replacing sync.Mutex // guards changes of current
}

// Open returns a service on the database at path.
func Open(path string) (*Service, error) {
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	s := &Service{}
	s.current.Store(d)
	return s, nil
}

// acquire returns a database with a reference for the caller.
func (s *Service) acquire() (*database, error) {
	for {
		d := s.current.Load()
		if d == nil {
			return nil, ErrClosed
		}
		if d.tryRetain() {
			return d, nil
		}
		// It has been replaced and closed since; take the next one.
	}
}

// Country returns the country number of an address prefix.
func (s *Service) Country(prefix uint16) (uint32, error) {
	d, err := s.acquire()
	if err != nil {
		return 0, err
	}
	defer d.release()
	return d.country(prefix)
}

// Replace switches to the database at path.
func (s *Service) Replace(path string) error {
	next, err := open(path)
	if err != nil {
		return err
	}
	return s.install(next)
}

func (s *Service) install(next *database) error {
	s.replacing.Lock()
	defer s.replacing.Unlock()
	old := s.current.Load()
	if old == nil {
		next.release()
		return ErrClosed
	}
	s.current.Store(next)
	old.release()
	return nil
}

// Close ends the service. Lookups under way finish first.
func (s *Service) Close() {
	s.replacing.Lock()
	defer s.replacing.Unlock()
	if old := s.current.Swap(nil); old != nil {
		old.release()
	}
}
