package oom

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

var ErrAlreadyExists = errors.New("already exists")

type EventFunc func(containerID string)

// OpenFunc opens the source of the events of the process.
type OpenFunc func(pid int) (io.ReadCloser, error)

type oomWatchers struct {
	mu   sync.Mutex
	open OpenFunc

	watchers map[string]*watcher
}

func New(open OpenFunc) *oomWatchers {
	return &oomWatchers{
		open:     open,
		watchers: make(map[string]*watcher),
	}
}

func (ows *oomWatchers) Add(cid string, pid int, fn EventFunc) (retErr error) {
	eventFD, err := ows.open(pid)
	if err != nil {
		return fmt.Errorf("failed to get memory.events watch FD: %w", err)
	}
	defer func() {
		if retErr != nil {
			eventFD.Close()
		}
	}()

	ows.mu.Lock()
	defer ows.mu.Unlock()

	_, exist := ows.watchers[cid]
	if exist {
		return fmt.Errorf("failed to add oom watcher to container %s: %w", cid, ErrAlreadyExists)
	}

	w := &watcher{
		cid:     cid,
		eventFD: eventFD,
		eventFn: fn,
		errCh:   make(chan error, 1),
	}
	w.start()

	ows.watchers[cid] = w
	return nil
}

func (ows *oomWatchers) Stop(cid string) error {
	ows.mu.Lock()
	w := ows.watchers[cid]
	delete(ows.watchers, cid)
	ows.mu.Unlock()

	if w == nil {
		return nil
	}
	return w.stop()
}

type watcher struct {
	cid     string
	eventFD io.ReadCloser
	eventFn EventFunc
	errCh   chan error
}

func (w *watcher) start() {
	go func() {
		defer close(w.errCh)
		defer w.eventFD.Close()

		buffer := make([]byte, 256)
		for {
			n, err := w.eventFD.Read(buffer)
			if n > 0 {
				w.eventFn(w.cid)
			}
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
					w.errCh <- err
				}
				return
			}
		}
	}()
}

func (w *watcher) stop() error {
	w.eventFD.Close()
	return <-w.errCh
}
