// Package outcomes is about the results of callees, which tell the way that a callee has taken.
package outcomes

import (
	"errors"
	"sync"
)

var errThere = errors.New("not there")

// A Queue wakes those who wait for a job.
type Queue struct {
	mu      sync.Mutex
	jobs    []*string
	waiting []chan struct{}
	closed  bool
}

func (q *Queue) Put(j *string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	for _, w := range q.waiting {
		close(w)
	}
	q.waiting = nil
}

func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, w := range q.waiting {
		close(w)
	}
	q.waiting = nil
}

func (q *Queue) pop() (*string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) > 0 {
		j := q.jobs[0]
		q.jobs = q.jobs[1:]
		return j, nil
	}
	if q.closed {
		return nil, errThere
	}
	return nil, nil
}

func (q *Queue) park() chan struct{} {
	w := make(chan struct{})
	q.mu.Lock()
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	return w
}

// Next has taken nothing when it parks: no claim keeps a rival away.
func (q *Queue) Next() (*string, error) {
	for {
		j, err := q.pop()
		if j != nil || err != nil {
			return j, err
		}
		<-q.park() // want `check-then-act: q\.jobs was checked at line \d+`
	}
}

// popOrPark does both in one section.
func (q *Queue) popOrPark() (*string, chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) > 0 {
		j := q.jobs[0]
		q.jobs = q.jobs[1:]
		return j, nil
	}
	w := make(chan struct{})
	q.waiting = append(q.waiting, w)
	return nil, w
}

func (q *Queue) NextOrPark() *string {
	for {
		j, w := q.popOrPark()
		if j != nil {
			return j
		}
		<-w
	}
}

// An Upload is finished by who has claimed it.
type upload struct {
	claimed bool
	parts   []string
}

type Uploads struct {
	mu  sync.Mutex
	all map[string]*upload
}

func NewUploads() *Uploads { return &Uploads{all: make(map[string]*upload)} }

func (u *Uploads) Open(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.all[id]; !ok {
		u.all[id] = new(upload)
	}
}

func (u *Uploads) Add(id, part string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	up, ok := u.all[id]
	if !ok || up.claimed {
		return errThere
	}
	up.parts = append(up.parts, part)
	return nil
}

// claim returns an object or an error: who asks for the error does not rely on the object.
func (u *Uploads) claim(id string) (*upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up, ok := u.all[id]
	if !ok || up.claimed {
		return nil, errThere
	}
	up.claimed = true
	return up, nil
}

func (u *Uploads) find(id string) (*upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up, ok := u.all[id]
	if !ok {
		return nil, errThere
	}
	return up, nil
}

func (u *Uploads) remove(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, id)
}

func (u *Uploads) Finish(id string, join func([]string)) error {
	up, err := u.claim(id)
	if err != nil {
		return err
	}
	join(up.parts)
	u.remove(id)
	return nil
}

func (u *Uploads) FinishUnclaimed(id string, join func([]string)) error {
	up, err := u.find(id)
	if err != nil {
		return err
	}
	join(up.parts)
	u.remove(id) // want `check-then-act: u\.all\[id\] was`
	return nil
}

// A Book has accounts that are never removed.
type Book struct {
	mu       sync.Mutex
	balances map[string]int
	entries  []string
}

func NewBook(names ...string) *Book {
	b := &Book{balances: make(map[string]int)}
	for _, n := range names {
		b.balances[n] = 0
	}
	return b
}

func (b *Book) check(names []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range names {
		if _, ok := b.balances[n]; !ok {
			return errThere
		}
	}
	return nil
}

// Post relies on the accounts being there, and others only change the amounts.
func (b *Book) Post(names ...string) error {
	if err := b.check(names); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range names {
		b.entries = append(b.entries, n)
		b.balances[n]++
	}
	return nil
}

// A Ledger closes accounts.
type Ledger struct {
	mu       sync.Mutex
	balances map[string]int
	entries  []string
}

func NewLedger(names ...string) *Ledger {
	l := &Ledger{balances: make(map[string]int)}
	for _, n := range names {
		l.balances[n] = 0
	}
	return l
}

func (l *Ledger) check(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.balances[name]; !ok {
		return errThere
	}
	return nil
}

func (l *Ledger) Close(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.balances, name)
	l.entries = append(l.entries, "closed "+name)
}

func (l *Ledger) Post(name string) error {
	if err := l.check(name); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, name)
	l.balances[name]++ // want `check-then-act: l\.balances\[name\] was checked`
	return nil
}
