package a

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var ErrZone = errors.New("tariff: no such zone")

// Book has the prices of one day.
type Book struct {
	mu    sync.RWMutex
	zones map[string]int64
	limit int64
}

func newBook() *Book { return &Book{zones: make(map[string]int64)} }

// Price of a kilowatt hour.
func (b *Book) Price(zone string) (int64, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	p, ok := b.zones[zone]
	return p, ok
}

func (b *Book) set(zone string, price int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.zones[zone] = price
}

// Limit is the highest price of the day.
func (b *Book) Limit() int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.limit
}

func (b *Book) setLimit(p int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit = p
}

// load reads a book; a zone with several rows gets the sum of them.
func load(r io.Reader) (*Book, error) {
	b := newBook()
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = 2
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		part, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("tariff: zone %s: %w", row[0], err)
		}
		price, _ := b.Price(row[0])
		price += part
		b.set(row[0], price)
		if price > b.Limit() {
			b.setLimit(price)
		}
	}
}

// Opener gets the price list of the day.
type Opener func(ctx context.Context) (io.ReadCloser, error)

// Desk quotes prices from the book of the day.
type Desk struct {
	open    Opener
	current atomic.Pointer[Book]
}

// Start opens the desk, which gets a new book every day until ctx ends.
func Start(ctx context.Context, open Opener) *Desk {
	d := &Desk{open: open}
	d.current.Store(newBook())
	go d.run(ctx)
	return d
}

// Quote is the price for an amount of energy.
func (d *Desk) Quote(zone string, kwh int64) (int64, error) {
	p, ok := d.current.Load().Price(zone)
	if !ok {
		return 0, ErrZone
	}
	return p * kwh, nil
}

func (d *Desk) run(ctx context.Context) {
	for {
		if r, err := d.open(ctx); err != nil {
			log.Print(err)
		} else if b, err := load(r); err != nil {
			log.Print(err)
			r.Close()
		} else {
			r.Close()
			d.current.Store(b)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(24 * time.Hour):
		}
	}
}
