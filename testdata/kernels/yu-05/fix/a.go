package a

import (
	"errors"
	"fmt"
	"net/http"
	"sort"
	"sync"
	"time"
)

var (
	ErrNoTitle    = errors.New("library: title not in catalogue")
	ErrAllLent    = errors.New("library: all licences are lent")
	ErrNotLent    = errors.New("library: not lent to this reader")
	lendingPeriod = 14 * 24 * time.Hour
)

type title struct {
	isbn string

	mu        sync.Mutex
	licences  int
	loans     map[string]time.Time // reader -> due
	withdrawn bool
}

// Library lends e-books, each title has a number of licences.
type Library struct {
	mu     sync.RWMutex
	titles map[string]*title
}

func NewLibrary() *Library {
	return &Library{titles: make(map[string]*title)}
}

// AddLicences registers a purchase from the publisher.
func (l *Library) AddLicences(isbn string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.titles[isbn]
	if !ok {
		t = &title{isbn: isbn, loans: make(map[string]time.Time)}
		l.titles[isbn] = t
	}
	t.mu.Lock()
	t.licences += n
	t.mu.Unlock()
}

func (l *Library) find(isbn string) (*title, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t, ok := l.titles[isbn]
	if !ok {
		return nil, ErrNoTitle
	}
	return t, nil
}

// Lend gives the reader a licence and returns the due date.
func (l *Library) Lend(isbn, reader string) (time.Time, error) {
	t, err := l.find(isbn)
	if err != nil {
		return time.Time{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.withdrawn {
		return time.Time{}, ErrNoTitle
	}
	if due, ok := t.loans[reader]; ok {
		return due, nil
	}
	if len(t.loans) >= t.licences {
		return time.Time{}, ErrAllLent
	}
	due := time.Now().Add(lendingPeriod)
	t.loans[reader] = due
	return due, nil
}

func (l *Library) Return(isbn, reader string) error {
	t, err := l.find(isbn)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.loans[reader]; !ok {
		return ErrNotLent
	}
	delete(t.loans, reader)
	return nil
}

// Withdraw takes the title out of the catalogue and returns the readers
// whose loans end with it.
func (l *Library) Withdraw(isbn string) ([]string, error) {
	l.mu.Lock()
	t, ok := l.titles[isbn]
	delete(l.titles, isbn)
	l.mu.Unlock()
	if !ok {
		return nil, ErrNoTitle
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	t.withdrawn = true
	readers := make([]string, 0, len(t.loans))
	for r := range t.loans {
		readers = append(readers, r)
	}
	clear(t.loans)
	sort.Strings(readers)
	return readers, nil
}

func (l *Library) HandleLend(w http.ResponseWriter, r *http.Request) {
	due, err := l.Lend(r.FormValue("isbn"), r.FormValue("reader"))
	switch {
	case errors.Is(err, ErrNoTitle):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusConflict)
	default:
		fmt.Fprintln(w, "due", due.Format(time.DateOnly))
	}
}

func (l *Library) HandleWithdraw(w http.ResponseWriter, r *http.Request) {
	readers, err := l.Withdraw(r.FormValue("isbn"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	for _, name := range readers {
		fmt.Fprintln(w, "notify", name)
	}
}
