// Package ledger keeps balances in memory and a journal of their changes on
// disk, from which they are rebuilt at the next start.
package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// ErrShort is returned for a change that would take a balance below zero.
var ErrShort = errors.New("ledger: insufficient balance")

// balances is the table in memory, for concurrent use.
type balances struct {
	mu sync.RWMutex
	m  map[string]int64
}

func (b *balances) get(account string) int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.m[account]
}

func (b *balances) set(account string, v int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if v == 0 {
		delete(b.m, account)
		return
	}
	b.m[account] = v
}

// change adds delta unless the balance would become negative. The journal is
// called while the table is locked, so its order is that of the changes.
func (b *balances) change(account string, delta int64, journal func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := b.m[account] + delta
	if v < 0 {
		return ErrShort
	}
	if err := journal(); err != nil {
		return err
	}
	if v == 0 {
		delete(b.m, account)
	} else {
		b.m[account] = v
	}
	return nil
}

// Ledger is safe for concurrent use.
type Ledger struct {
	file   *os.File
	table  balances
	broken error // first write error; guarded by the lock of table
	stop   chan struct{}
	done   chan error
}

// Open reads the journal and syncs it at the given interval from then on.
func Open(name string, every time.Duration) (*Ledger, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Ledger{file: f, stop: make(chan struct{}), done: make(chan error, 1)}
	l.table.m = make(map[string]int64)
	end, err := l.replay(bufio.NewReader(f))
	if err == nil {
		// A line that was cut off by a crash has never been acknowledged.
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("ledger: open %s: %w", name, err)
	}
	go l.syncer(every)
	return l, nil
}

// replay applies the journal and returns where its last whole line ends. It is
// part of Open.
func (l *Ledger) replay(r *bufio.Reader) (int64, error) {
	var end int64
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		var account string
		var delta int64
		if _, err := fmt.Sscanf(line, "%q %d\n", &account, &delta); err != nil {
			return 0, fmt.Errorf("at byte %d: %w", end, err)
		}
		l.table.set(account, l.table.get(account)+delta)
		if l.table.get(account) < 0 {
			return 0, fmt.Errorf("at byte %d: balance of %q is negative", end, account)
		}
		end += int64(len(line))
	}
}

// Change books delta on an account. After a failed write the end of the journal
// is not known and nothing can be booked until the ledger is opened again.
func (l *Ledger) Change(account string, delta int64) error {
	return l.table.change(account, delta, func() error {
		if l.broken == nil {
			_, l.broken = fmt.Fprintf(l.file, "%q %d\n", account, delta)
		}
		return l.broken
	})
}

// Balance returns the balance of an account.
func (l *Ledger) Balance(account string) int64 { return l.table.get(account) }

func (l *Ledger) syncer(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = l.file.Sync()
		case <-l.stop:
			l.done <- l.file.Sync()
			return
		}
	}
}

// Close syncs and closes the journal. It is to be called once, after all
// changes have returned.
func (l *Ledger) Close() error {
	close(l.stop)
	return errors.Join(<-l.done, l.file.Close())
}
