package model

import (
	"context"
	"errors"
	"log"
	"sync"
)

const maxBatchSizeFiles = 1000

var errFolderMarkerMissing = errors.New("folder marker missing")

type folderState int

const (
	FolderIdle folderState = iota
	FolderScanning
)

type stateTracker struct {
	mut     sync.Mutex
	current folderState
	err     error
}

func (s *stateTracker) setState(newState folderState) {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.current = newState
}

func (s *stateTracker) setError(err error) {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.err = err
}

type scanError struct {
	Path string
	Err  error
}

type folder struct {
	stateTracker
	ID   string
	ctx  context.Context
	fset *FileSet
	fs   Filesystem

	scanNow       chan []string
	pullScheduled chan struct{}

	scanErrors   []scanError
	errorsMut    sync.Mutex
	healthErr    error
	healthErrMut sync.Mutex
}

func newFolder(ctx context.Context, id string, fset *FileSet, fs Filesystem) *folder {
	return &folder{
		ID:            id,
		ctx:           ctx,
		fset:          fset,
		fs:            fs,
		scanNow:       make(chan []string),
		pullScheduled: make(chan struct{}, 1), // This needs to be 1-buffered so that we queue a pull if we're busy when it comes.
	}
}

// serve is the main loop of the folder.
func (f *folder) serve() {
	for {
		select {
		case <-f.ctx.Done():
			return
		case subs := <-f.scanNow:
			if err := f.scanSubdirs(subs); err != nil {
				log.Printf("Folder %s: scan: %v", f.ID, err)
				f.setError(err)
			}
		}
	}
}

// Scan requests a scan of the given subdirectories.
func (f *folder) Scan(subdirs []string) {
	select {
	case f.scanNow <- subdirs:
	case <-f.ctx.Done():
	}
}

func (f *folder) SchedulePull() {
	select {
	case f.pullScheduled <- struct{}{}:
	default:
		// We might be busy doing a pull and thus not reading from this
		// channel. The channel is 1-buffered, so one notification will be
		// queued to ensure we recheck after the pull, but beyond that we must
		// make sure to not block index receiving.
	}
}

func (f *folder) setHealthError(err error) {
	f.healthErrMut.Lock()
	defer f.healthErrMut.Unlock()
	f.healthErr = err
}

func (f *folder) getHealthError() error {
	f.healthErrMut.Lock()
	defer f.healthErrMut.Unlock()
	return f.healthErr
}

func (f *folder) newScanError(path string, err error) {
	f.errorsMut.Lock()
	defer f.errorsMut.Unlock()
	f.scanErrors = append(f.scanErrors, scanError{path, err})
}

func (f *folder) clearScanErrors() {
	f.errorsMut.Lock()
	defer f.errorsMut.Unlock()
	f.scanErrors = nil
}

type fileInfoBatch struct {
	infos   []FileInfo
	flushFn func([]FileInfo) error
}

func newFileInfoBatch(fn func([]FileInfo) error) *fileInfoBatch {
	return &fileInfoBatch{infos: make([]FileInfo, 0, maxBatchSizeFiles), flushFn: fn}
}

func (b *fileInfoBatch) append(f FileInfo) {
	b.infos = append(b.infos, f)
}

func (b *fileInfoBatch) flushIfFull() error {
	if len(b.infos) == maxBatchSizeFiles {
		return b.flush()
	}
	return nil
}

func (b *fileInfoBatch) flush() error {
	if len(b.infos) == 0 {
		return nil
	}
	if err := b.flushFn(b.infos); err != nil {
		return err
	}
	b.infos = b.infos[:0]
	return nil
}

func (f *folder) scanSubdirs(subDirs []string) error {
	if err := f.getHealthError(); err != nil {
		return err
	}

	f.setState(FolderScanning)
	defer f.setState(FolderIdle)

	snap := f.fset.Snapshot()
	defer snap.Release()

	// If we return early e.g. due to a folder health error, the scan needs
	// to be cancelled.
	scanCtx, scanCancel := context.WithCancel(f.ctx)
	defer scanCancel()
	fchan := Walk(scanCtx, scannerConfig{
		Folder:       f.ID,
		Subs:         subDirs,
		CurrentFiler: cFiler{snap},
		Filesystem:   f.fs,
		Hashers:      2,
	})

	batch := newFileInfoBatch(func(fs []FileInfo) error {
		if err := f.getHealthError(); err != nil {
			return err
		}
		f.fset.Update(fs)
		return nil
	})

	// Schedule a pull after scanning, but only if we actually detected any
	// changes.
	changes := 0
	defer func() {
		if changes > 0 {
			f.SchedulePull()
		}
	}()

	f.clearScanErrors()
	for res := range fchan {
		if res.Err != nil {
			f.newScanError(res.Path, res.Err)
			continue
		}

		if err := batch.flushIfFull(); err != nil {
			// Prevent a race between the scan aborting due to context
			// cancellation and releasing the snapshot in defer here.
			scanCancel()
			for range fchan {
			}
			return err
		}

		batch.append(res.File)
		changes++
	}

	if err := f.ctx.Err(); err != nil {
		return err
	}
	return batch.flush()
}

type cFiler struct {
	*Snapshot
}

// Implements scanner.CurrentFiler
func (cf cFiler) CurrentFile(file string) (FileInfo, bool) {
	return cf.Get(file)
}
