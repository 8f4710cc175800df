package a

import (
	"iter"
	"sync"
	"time"
)

// Loan is a book that a reader has at home.
type Loan struct {
	Copy   string
	Reader string
	Due    time.Time
}

// Desk keeps the loans of a library.
type Desk struct {
	mu    sync.Mutex
	loans map[string]Loan
	fees  map[string]int
	lost  []string
}

func NewDesk() *Desk {
	return &Desk{loans: make(map[string]Loan), fees: make(map[string]int)}
}

// Lend notes that the reader took the copy.
func (d *Desk) Lend(copyID, reader string, due time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, out := d.loans[copyID]; out {
		return false
	}
	d.loans[copyID] = Loan{Copy: copyID, Reader: reader, Due: due}
	return true
}

// Renew moves the due date of a loan.
func (d *Desk) Renew(copyID string, due time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	l, ok := d.loans[copyID]
	if ok {
		l.Due = due
		d.loans[copyID] = l
	}
	return ok
}

// Return takes the copy back.
func (d *Desk) Return(copyID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.loans, copyID)
}

// DueBefore yields the loans that were due before t.
func (d *Desk) DueBefore(t time.Time) iter.Seq[Loan] {
	return func(yield func(Loan) bool) {
		d.mu.Lock()
		var hits []Loan
		for _, l := range d.loans {
			if l.Due.Before(t) {
				hits = append(hits, l)
			}
		}
		d.mu.Unlock()
		for _, l := range hits {
			if !yield(l) {
				return
			}
		}
	}
}

func (d *Desk) writeOff(l Loan, fee int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if cur, ok := d.loans[l.Copy]; !ok || cur != l {
		return false
	}
	delete(d.loans, l.Copy)
	d.fees[l.Reader] += fee
	d.lost = append(d.lost, l.Copy)
	return true
}

// Sweep declares the copies lost that have been due since before t.
func (d *Desk) Sweep(t time.Time, fee int, notify func(Loan)) (n int) {
	for l := range d.DueBefore(t) {
		if d.writeOff(l, fee) {
			notify(l)
			n++
		}
	}
	return n
}

// Fees tells what the reader owes.
func (d *Desk) Fees(reader string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fees[reader]
}
