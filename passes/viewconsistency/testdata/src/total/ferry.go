package total

import "sync"

// Vehicle stands on a deck.
type Vehicle struct{ Plate string }

// Ferry has vehicles on its decks, and moves them.
type Ferry struct {
	mu    sync.Mutex
	decks map[string][]Vehicle
	notes map[string][]string
}

// NewFerry is empty.
func NewFerry() *Ferry { return &Ferry{decks: map[string][]Vehicle{}, notes: map[string][]string{}} }

func (f *Ferry) withLock(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
}

// Board puts a vehicle on a deck.
func (f *Ferry) Board(deck string, v Vehicle) {
	f.withLock(func() { f.decks[deck] = append(f.decks[deck], v) })
}

// Note writes something down for a deck.
func (f *Ferry) Note(deck, text string) {
	f.withLock(func() { f.notes[deck] = append(f.notes[deck], text) })
}

// Move takes a vehicle from one deck to another.
func (f *Ferry) Move(plate, from, to string) {
	f.withLock(func() {
		for i, v := range f.decks[from] {
			if v.Plate == plate {
				f.decks[from] = append(f.decks[from][:i], f.decks[from][i+1:]...)
				f.decks[to] = append(f.decks[to], v)
				return
			}
		}
	})
}

func (f *Ferry) onDeck(deck string) (out []Vehicle) {
	f.withLock(func() { out = append(out, f.decks[deck]...) })
	return out
}

func (f *Ferry) notesOf(deck string) (out []string) {
	f.withLock(func() { out = append(out, f.notes[deck]...) })
	return out
}

// Sheet may have a vehicle twice, or not at all.
func (f *Ferry) Sheet() []Vehicle {
	all := f.onDeck("lower")
	return append(all, f.onDeck("upper")...) // want `f.decks\["lower"\] at line 59 and f.decks\["upper"\] here are read apart`
}

// Sheets has a list for each deck, of which none is compared with another one.
func (f *Ferry) Sheets(print func([]Vehicle)) {
	print(f.onDeck("lower"))
	print(f.onDeck("upper"))
}

// Notes are never moved.
func (f *Ferry) Notes() []string {
	all := f.notesOf("lower")
	return append(all, f.notesOf("upper")...)
}

// Count reads both decks in one section.
func (f *Ferry) Count() (n int) {
	f.withLock(func() { n = len(f.decks["lower"]) + len(f.decks["upper"]) })
	return n
}

// Purse has amounts in two currencies.
type Purse struct {
	mu      sync.Mutex
	amounts map[string]int
}

// NewPurse is empty.
func NewPurse() *Purse { return &Purse{amounts: map[string]int{}} }

// Change moves an amount.
func (p *Purse) Change(from, to string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.amounts[from] -= n
	p.amounts[to] += n
}

func (p *Purse) amount(of string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.amounts[of]
}

// Both may count an amount twice.
func (p *Purse) Both(a, b string) int {
	return p.amount(a) + p.amount(b) // want `p.amounts\[a\] at line 106 and p.amounts\[b\] here are read apart`
}
