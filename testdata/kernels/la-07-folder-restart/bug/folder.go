package model

import (
	"io/fs"
	"os"
	"sync"
	"time"
)

// folder scans the files of one folder until it is stopped.
type folder struct {
	FolderConfiguration
	fset     *FileSet
	scanNow  chan struct{}
	stopc    chan struct{}
	stopped  chan struct{}
	stopOnce sync.Once
}

func newFolder(cfg FolderConfiguration, fset *FileSet) *folder {
	return &folder{
		FolderConfiguration: cfg,
		fset:                fset,
		scanNow:             make(chan struct{}, 1),
		stopc:               make(chan struct{}),
		stopped:             make(chan struct{}),
	}
}

func (f *folder) serve() {
	defer close(f.stopped)

	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-f.stopc:
			return
		case <-f.scanNow:
			f.scan()
		case <-timer.C:
			f.scan()
			timer.Reset(time.Minute)
		}
	}
}

func (f *folder) scan() {
	var batch []FileInfo
	_ = fs.WalkDir(os.DirFS(f.Path), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		batch = append(batch, FileInfo{Name: name, Size: info.Size()})
		if len(batch) == 1000 {
			f.fset.Update(batch)
			batch = nil
		}
		return nil
	})
	if len(batch) > 0 {
		f.fset.Update(batch)
	}
}

// Scan asks for a scan as soon as possible.
func (f *folder) Scan() {
	select {
	case f.scanNow <- struct{}{}:
	default:
	}
}

// stop returns when the folder does not do anything any more.
func (f *folder) stop() {
	f.stopOnce.Do(func() { close(f.stopc) })
	<-f.stopped
}
