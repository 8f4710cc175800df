package a

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var ErrEmpty = errors.New("billing: invoice without lines")

type Line struct {
	Text  string
	Qty   int64
	Cents int64
}

type Invoice struct {
	Number   string
	Customer string
	Lines    []Line
	Total    int64
	Issued   time.Time
}

type Archive interface {
	Save(inv Invoice) error
}

// Book hands out the numbers of one series. They must be unique and without
// gaps within a year.
type Book struct {
	sync.Mutex
	series  string
	year    int
	seq     int
	numbers []string
	archive Archive
}

func NewBook(series string, year int, a Archive) *Book {
	return &Book{series: series, year: year, archive: a}
}

func (b *Book) Issue(customer string, lines []Line) (Invoice, error) {
	if len(lines) == 0 {
		return Invoice{}, ErrEmpty
	}

	b.Lock()
	year := b.year
	seq := b.seq + 1
	b.Unlock()

	inv := Invoice{
		Number:   fmt.Sprintf("%s-%d-%05d", b.series, year, seq),
		Customer: customer,
		Lines:    slices.Clone(lines),
		Issued:   time.Now(),
	}
	for _, l := range lines {
		inv.Total += l.Qty * l.Cents
	}
	if err := b.archive.Save(inv); err != nil {
		return Invoice{}, fmt.Errorf("billing: save %s: %w", inv.Number, err)
	}

	b.Lock()
	defer b.Unlock()
	b.seq = seq
	b.numbers = append(b.numbers, inv.Number)
	return inv, nil
}

func (b *Book) OpenYear(year int) {
	b.Lock()
	defer b.Unlock()
	if year <= b.year {
		return
	}
	b.year = year
	b.seq = 0
}

func (b *Book) Last() (string, bool) {
	b.Lock()
	defer b.Unlock()
	if len(b.numbers) == 0 {
		return "", false
	}
	return b.numbers[len(b.numbers)-1], true
}

func (b *Book) Count() int {
	b.Lock()
	defer b.Unlock()
	return len(b.numbers)
}
