package model

import (
	"context"
	"sync"
	"time"
)

type syncRequest struct {
	fn  func() error
	err chan error
}

type sharedFolder struct {
	id      string
	shortID uint64
	ctx     context.Context
	fset    *fileSet
	fs      Filesystem

	doInSyncChan chan syncRequest

	pullScheduled chan struct{}
	needMut       sync.Mutex
	need          map[string]FileInfo

	scanTimer *time.Timer
}

func newFolder(ctx context.Context, id string, shortID uint64, fset *fileSet, fs Filesystem) *sharedFolder {
	return &sharedFolder{
		id:      id,
		shortID: shortID,
		ctx:     ctx,
		fset:    fset,
		fs:      fs,

		doInSyncChan: make(chan syncRequest),

		pullScheduled: make(chan struct{}, 1), // This needs to be 1-buffered so that we queue a pull if we're busy when it comes.
		need:          make(map[string]FileInfo),

		scanTimer: time.NewTimer(time.Hour),
	}
}

// serve is the only place where the folder is scanned and pulled.
func (f *sharedFolder) serve() {
	defer f.scanTimer.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return

		case <-f.pullScheduled:
			f.pull()

		case <-f.scanTimer.C:
			f.scanSubdirs(nil)
			f.scanTimer.Reset(time.Hour)

		case req := <-f.doInSyncChan:
			req.err <- req.fn()
		}
	}
}

func (f *sharedFolder) doInSync(fn func() error) error {
	req := syncRequest{
		fn:  fn,
		err: make(chan error, 1),
	}

	select {
	case f.doInSyncChan <- req:
		return <-req.err
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
}

func (f *sharedFolder) Scan(subdirs []string) error {
	return f.doInSync(func() error { return f.scanSubdirs(subdirs) })
}

// SchedulePull adds the files to those that are needed.
func (f *sharedFolder) SchedulePull(files []FileInfo) {
	f.needMut.Lock()
	for _, file := range files {
		if have, ok := f.need[file.Name]; !ok || have.Version < file.Version {
			f.need[file.Name] = file
		}
	}
	f.needMut.Unlock()
	select {
	case f.pullScheduled <- struct{}{}:
	default:
		// We might be busy doing a pull and thus not reading from this
		// channel. The channel is 1-buffered, so one notification will be
		// queued to ensure we recheck after the pull, but beyond that we must
		// make sure to not block index receiving.
	}
}

// pull writes the needed files and records them.
func (f *sharedFolder) pull() {
	f.needMut.Lock()
	need := f.need
	f.need = make(map[string]FileInfo)
	f.needMut.Unlock()

	for _, file := range need {
		if cur, ok := f.fset.Get(file.Name); ok && cur.Version >= file.Version {
			continue
		}
		if err := f.fs.Write(file.Name, file.Blocks); err != nil {
			continue
		}
		f.fset.Update([]FileInfo{file})
	}
}

// scanSubdirs hashes the files that have to be hashed again.
func (f *sharedFolder) scanSubdirs(names []string) error {
	var changed []FileInfo
	for _, name := range names {
		cur, ok := f.fset.Get(name)
		if !ok {
			cur = FileInfo{Name: name, BlockSize: 128 << 10}
		} else if !cur.MustRescan {
			continue
		}
		blocks, err := f.fs.Hash(name, cur.BlockSize)
		if err != nil {
			return err
		}
		cur.Blocks = blocks
		cur.MustRescan = false
		cur.ModifiedBy = f.shortID
		cur.Version++
		changed = append(changed, cur)
	}
	f.fset.Update(changed)
	return nil
}

// ForceRescan marks the file such that it gets rehashed on next scan and then
// immediately executes that scan.
func (f *sharedFolder) ForceRescan(file FileInfo) error {
	file.SetMustRescan(f.shortID)
	f.fset.Update([]FileInfo{file})

	return f.Scan([]string{file.Name})
}
