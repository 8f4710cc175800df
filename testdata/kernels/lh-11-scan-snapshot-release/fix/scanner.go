package model

import (
	"context"
	"crypto/sha256"
	"sync"
)

// Filesystem is walked by the scanner. The walk ends with the error of the callback.
type Filesystem interface {
	Walk(root string, walkFn func(path string, size int64) error) error
	ReadFile(path string) ([]byte, error)
}

type CurrentFiler interface {
	// CurrentFile returns the file as seen at last scan.
	CurrentFile(name string) (FileInfo, bool)
}

type scannerConfig struct {
	// Folder for which the walker has been created
	Folder string
	// Limit walking to these paths within Dir, or no limit if Sub is empty
	Subs []string
	// If CurrentFiler is not nil, it is queried for the current file before rescanning.
	CurrentFiler CurrentFiler
	Filesystem   Filesystem
	// Number of routines to use for hashing
	Hashers int
}

type ScanResult struct {
	File FileInfo
	Err  error
	Path string
}

type walker struct {
	scannerConfig
}

func Walk(ctx context.Context, cfg scannerConfig) chan ScanResult {
	return (&walker{cfg}).walk(ctx)
}

// Walk returns the list of files found in the local folder by scanning the
// file system. Files are blockwise hashed.
func (w *walker) walk(ctx context.Context) chan ScanResult {
	toHashChan := make(chan FileInfo)
	finishedChan := make(chan ScanResult)

	// A routine which walks the filesystem tree, and sends files which have
	// been modified to the counter routine.
	go func() {
		hashFiles := w.walkAndHashFiles(ctx, toHashChan, finishedChan)
		if len(w.Subs) == 0 {
			w.Filesystem.Walk(".", hashFiles)
		} else {
			for _, sub := range w.Subs {
				w.Filesystem.Walk(sub, hashFiles)
			}
		}
		close(toHashChan)
	}()

	newParallelHasher(ctx, w.Filesystem, w.Hashers, finishedChan, toHashChan)
	return finishedChan
}

func (w *walker) walkAndHashFiles(ctx context.Context, toHashChan chan<- FileInfo, finishedChan chan<- ScanResult) func(string, int64) error {
	return func(path string, size int64) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if path == "." {
			return nil
		}
		if size < 0 {
			select {
			case finishedChan <- ScanResult{Path: path, Err: errFolderMarkerMissing}:
			case <-ctx.Done():
				return ctx.Err()
			}
			return nil
		}

		curFile, ok := w.CurrentFiler.CurrentFile(path)
		if ok && curFile.Size == size {
			return nil
		}
		select {
		case toHashChan <- FileInfo{Name: path, Size: size, Version: curFile.Version + 1}:
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}
}

// The parallel hasher reads FileInfo structures from the inbox, hashes the
// file to populate the Blocks element and sends it to the outbox. A number of
// workers are used in parallel. The outbox will become closed when the inbox
// is closed and all items handled.
type parallelHasher struct {
	fs      Filesystem
	workers int
	outbox  chan<- ScanResult
	inbox   <-chan FileInfo
	wg      sync.WaitGroup
}

func newParallelHasher(ctx context.Context, fs Filesystem, workers int, outbox chan<- ScanResult, inbox <-chan FileInfo) {
	ph := &parallelHasher{
		fs:      fs,
		workers: workers,
		outbox:  outbox,
		inbox:   inbox,
	}

	for i := 0; i < workers; i++ {
		ph.wg.Add(1)
		go ph.hashFiles(ctx)
	}

	go ph.closeWhenDone()
}

func (ph *parallelHasher) hashFiles(ctx context.Context) {
	defer ph.wg.Done()

	for {
		select {
		case f, ok := <-ph.inbox:
			if !ok {
				return
			}

			bs, err := ph.fs.ReadFile(f.Name)
			if err != nil {
				continue
			}
			f.BlocksHash = sha256.Sum256(bs)
			f.Size = int64(len(bs))

			select {
			case ph.outbox <- ScanResult{File: f}:
			case <-ctx.Done():
				return
			}

		case <-ctx.Done():
			return
		}
	}
}

func (ph *parallelHasher) closeWhenDone() {
	ph.wg.Wait()
	// In case the hasher aborted on context, wait for filesystem
	// walking/progress routine to finish.
	for range ph.inbox {
	}
	close(ph.outbox)
}
