package maint

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var ErrBusy = errors.New("maint: segment files are in use")

// Files is the storage that backups copy and compactions rewrite.
type Files interface {
	Copy(ctx context.Context, to string) error
	Rewrite(ctx context.Context) error
}

// Keeper keeps backups and compactions apart.
type Keeper struct {
	files   Files
	backups atomic.Int32

	mu         sync.Mutex
	compacting map[string]bool
}

func NewKeeper(f Files) *Keeper {
	return &Keeper{files: f, compacting: make(map[string]bool)}
}

func (k *Keeper) rewriting() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, on := range k.compacting {
		if on {
			n++
		}
	}
	return n
}

// Backup copies all files; any number of backups may run together.
func (k *Keeper) Backup(ctx context.Context, to string) (err error) {
	if k.rewriting() > 0 {
		return ErrBusy
	}
	k.backups.Add(1)
	defer k.backups.Add(-1)
	return k.files.Copy(ctx, to)
}

func (k *Keeper) begin(table string) error {
	if k.backups.Load() != 0 {
		return ErrBusy
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.compacting[table] {
		return ErrBusy
	}
	k.compacting[table] = true
	return nil
}

// Compact rewrites the files of one table.
func (k *Keeper) Compact(ctx context.Context, table string) error {
	if err := k.begin(table); err != nil {
		return err
	}
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.compacting, table)
	}()
	return k.files.Rewrite(ctx)
}

// Nightly starts a backup and the compactions of all tables.
func (k *Keeper) Nightly(ctx context.Context, to string, tables ...string) error {
	errs := make([]error, len(tables)+1)
	var wg sync.WaitGroup
	for i, t := range tables {
		wg.Go(func() { errs[i] = k.Compact(ctx, t) })
	}
	wg.Go(func() { errs[len(tables)] = k.Backup(ctx, to) })
	wg.Wait()
	return errors.Join(errs...)
}
