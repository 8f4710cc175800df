package model

import (
	"context"
	"errors"
	"sync"
	"time"
)

type folderState int

const (
	FolderIdle folderState = iota
	FolderScanning
	FolderError
)

type stateTracker struct {
	mut     sync.Mutex
	current folderState
	err     error
	changed time.Time
}

// setState sets the new folder state, for states other than FolderError.
func (s *stateTracker) setState(newState folderState) {
	if newState == FolderError {
		panic("must use setError")
	}
	s.mut.Lock()
	if newState != s.current {
		s.current = newState
		s.changed = time.Now()
	}
	s.mut.Unlock()
}

// setError sets the folder state to FolderError with the specified error or
// to FolderIdle if the error is nil
func (s *stateTracker) setError(err error) {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.current = FolderIdle
	if err != nil {
		s.current = FolderError
	}
	s.err = err
	s.changed = time.Now()
}

type rescanRequest struct {
	subdirs []string
	err     chan error
}

type folder struct {
	stateTracker
	cfg     FolderConfiguration
	scan    func(ctx context.Context, cfg FolderConfiguration, subdirs []string) error
	scanNow chan rescanRequest
	ctx     context.Context
	cancel  context.CancelFunc
	stopped chan struct{}
}

func newFolder(cfg FolderConfiguration, scan func(context.Context, FolderConfiguration, []string) error) *folder {
	ctx, cancel := context.WithCancel(context.Background())
	return &folder{
		cfg:     cfg,
		scan:    scan,
		scanNow: make(chan rescanRequest),
		ctx:     ctx,
		cancel:  cancel,
		stopped: make(chan struct{}),
	}
}

func (f *folder) Serve() {
	defer func() {
		f.setState(FolderIdle)
		close(f.stopped)
	}()
	for {
		select {
		case <-f.ctx.Done():
			return
		case req := <-f.scanNow:
			req.err <- f.scanSubdirs(req.subdirs)
		}
	}
}

func (f *folder) Scan(subdirs []string) error {
	req := rescanRequest{
		subdirs: subdirs,
		err:     make(chan error),
	}

	select {
	case f.scanNow <- req:
		return <-req.err
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
}

func (f *folder) Stop() {
	f.cancel()
	<-f.stopped
}

func (f *folder) scanSubdirs(subDirs []string) error {
	if f.cfg.Path == "" {
		err := errors.New("folder path missing")
		f.setError(err)
		return err
	}
	f.setState(FolderScanning)
	if err := f.scan(f.ctx, f.cfg, subDirs); err != nil {
		f.setError(err)
		return err
	}
	f.setState(FolderIdle)
	return nil
}
