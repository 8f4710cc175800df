// Package bug watches a directory tree and scans what has changed.
package bug

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var errNotStarted = errors.New("not started")

// Tree is the file system of a folder.
type Tree interface {
	Watch(ctx context.Context, ignores []string) (<-chan string, error)
	Scan(ctx context.Context, subs []string) error
}

// Folder has one goroutine that scans.
type Folder struct {
	id   string
	tree Tree
	ctx  context.Context
	quit context.CancelFunc

	changed   chan []string
	restartCh chan struct{}

	ignoresMut sync.RWMutex
	ignores    []string

	errMut sync.Mutex
	err    error

	watchMut    sync.Mutex
	watchCancel context.CancelFunc
	watchErr    error
}

// New returns a folder; Serve runs it.
func New(id string, t Tree) *Folder {
	ctx, cancel := context.WithCancel(context.Background())
	return &Folder{
		id:          id,
		tree:        t,
		ctx:         ctx,
		quit:        cancel,
		changed:     make(chan []string),
		restartCh:   make(chan struct{}, 1),
		watchCancel: func() {},
		watchErr:    errNotStarted,
	}
}

// Serve runs until Stop.
func (f *Folder) Serve() {
	full := time.NewTicker(time.Hour)
	defer full.Stop()
	f.startWatch()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-full.C:
			f.scan(nil)
		case subs := <-f.changed:
			f.scan(subs)
		case <-f.restartCh:
			f.restartWatch()
		}
	}
}

// Stop ends Serve.
func (f *Folder) Stop() { f.quit() }

func (f *Folder) scan(subs []string) {
	if err := f.tree.Scan(f.ctx, subs); err != nil {
		log.Printf("folder %s: %v", f.id, err)
	}
}

// SetIgnores takes effect with a new watch.
func (f *Folder) SetIgnores(list []string) {
	f.ignoresMut.Lock()
	f.ignores = append([]string(nil), list...)
	f.ignoresMut.Unlock()
	f.scheduleRestart()
}

// SetError is called by the health check.
func (f *Folder) SetError(err error) {
	f.errMut.Lock()
	old := f.err
	f.err = err
	f.errMut.Unlock()
	switch {
	case old == nil && err != nil:
		log.Printf("folder %s: stopped: %v", f.id, err)
		f.stopWatch()
	case old != nil && err == nil:
		log.Printf("folder %s: healthy again", f.id)
		f.scheduleRestart()
	}
}

// WatchError tells why nothing is watched, nil if all is well.
func (f *Folder) WatchError() error {
	f.watchMut.Lock()
	defer f.watchMut.Unlock()
	return f.watchErr
}

func (f *Folder) scheduleRestart() {
	select {
	case f.restartCh <- struct{}{}:
	default:
	}
}

// stopWatch ends watching at once, any goroutine may call it.
func (f *Folder) stopWatch() {
	f.cancelFunc()()
	f.watchMut.Lock()
	prev := f.watchErr
	f.watchErr = errNotStarted
	f.watchMut.Unlock()
	if prev != errNotStarted {
		log.Printf("folder %s: watch: %v to %v", f.id, prev, errNotStarted)
	}
}

func (f *Folder) cancelFunc() context.CancelFunc {
	f.watchMut.Lock()
	defer f.watchMut.Unlock()
	return f.watchCancel
}

// restartWatch is only called by Serve.
func (f *Folder) restartWatch() {
	f.stopWatch()
	f.startWatch()
	f.scan(nil)
}

// startWatch is only called by Serve.
func (f *Folder) startWatch() {
	ctx, cancel := context.WithCancel(f.ctx)
	f.ignoresMut.RLock()
	ignores := f.ignores
	f.ignoresMut.RUnlock()
	f.watchMut.Lock()
	f.watchCancel = cancel
	f.watchMut.Unlock()
	go f.watch(ctx, ignores)
}

func (f *Folder) watch(ctx context.Context, ignores []string) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			events, err := f.tree.Watch(ctx, ignores)
			f.watchMut.Lock()
			if ctx.Err() != nil {
				f.watchMut.Unlock()
				return
			}
			prev := f.watchErr
			f.watchErr = err
			f.watchMut.Unlock()
			if err != nil {
				if prev == errNotStarted {
					log.Printf("folder %s: watch: %v, trying again", f.id, err)
				}
				timer.Reset(time.Minute)
				continue
			}
			f.aggregate(ctx, events)
			return
		case <-ctx.Done():
			return
		}
	}
}

func (f *Folder) aggregate(ctx context.Context, events <-chan string) {
	var batch []string
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case e := <-events:
			batch = append(batch, e)
		case <-tick.C:
			if len(batch) == 0 {
				continue
			}
			select {
			case f.changed <- batch:
				batch = nil
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
