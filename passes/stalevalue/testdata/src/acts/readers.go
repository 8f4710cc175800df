package acts

import (
	"errors"
	"sync"
)

var errShut = errors.New("shut")

// A Ledger is not used any more when it has been shut.
type ledger struct {
	mu   sync.Mutex
	shut bool
	rows map[string]int
}

func (l *ledger) snapshot() (map[string]int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut {
		return nil, errShut
	}
	return l.rows, nil
}

func (l *ledger) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut, l.rows = true, nil
}

// A Vault waits for its readers, and shuts the ledger then.
type Vault struct {
	ledger  ledger
	readers sync.WaitGroup
}

func (v *Vault) Shut() {
	v.readers.Wait()
	v.ledger.end()
}

type reader struct{ group *sync.WaitGroup }

func newReader(group *sync.WaitGroup) *reader {
	group.Add(1)
	return &reader{group}
}

// Open is wrong: Shut may have waited for all readers, and not for this one.
func (v *Vault) Open() (*reader, error) {
	if _, err := v.ledger.snapshot(); err != nil {
		return nil, err
	}
	return newReader(&v.readers), nil // want `v\.ledger\.shut was checked at line \d+, .* another goroutine may have waited for v\.readers before this call adds to it`
}

// OpenFirst counts first.
func (v *Vault) OpenFirst() (*reader, error) {
	r := newReader(&v.readers)
	if _, err := v.ledger.snapshot(); err != nil {
		v.readers.Done()
		return nil, err
	}
	return r, nil
}
