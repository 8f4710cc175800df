// Package rawdb keeps the old blocks of the chain in flat files.
package rawdb

// Chain has the recent blocks.
type Chain interface {
	// Next blocks until the block is old enough to be frozen.
	Next(number uint64) []byte
}

// Freezer moves old blocks to a table.
type Freezer struct {
	table *freezerTable
}

// NewFreezer starts a freezer.
func NewFreezer(path string, chain Chain) (*Freezer, error) {
	table, err := newTable(path, 2*1000*1000*1000)
	if err != nil {
		return nil, err
	}
	f := &Freezer{table: table}
	go f.freeze(chain)
	return f, nil
}

// Ancient returns an old block.
func (f *Freezer) Ancient(number uint64) ([]byte, error) { return f.table.Retrieve(number) }

// Ancients returns the number of old blocks.
func (f *Freezer) Ancients() uint64 { return f.table.items.Load() }

// TruncateAncients discards the blocks from the given number on, when the head
// of the chain is set back.
func (f *Freezer) TruncateAncients(items uint64) error { return f.table.truncate(items) }

// freeze runs in its own goroutine.
func (f *Freezer) freeze(chain Chain) {
	for {
		number := f.table.items.Load()
		blob := chain.Next(number)
		// The append fails if the table was truncated, then look again.
		f.table.Append(number, blob)
	}
}
