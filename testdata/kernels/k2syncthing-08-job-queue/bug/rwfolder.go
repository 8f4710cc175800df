package model

import (
	"log"
	"slices"
	"time"
)

// Filesystem is the disk.
type Filesystem interface {
	Mkdir(name string) error
	Remove(name string) error
	Rename(from, to string) error
	// Pull writes a file from its blocks.
	Pull(name string, blocks []string) error
}

type rwFolder struct {
	model       *Model
	fs          Filesystem
	queue       *jobQueue
	stop        chan struct{}
	remoteIndex chan struct{} // An index update was received, we should re-evaluate needs
}

func newRWFolder(m *Model, fs Filesystem) *rwFolder {
	return &rwFolder{
		model:       m,
		fs:          fs,
		queue:       newJobQueue(),
		stop:        make(chan struct{}),
		remoteIndex: make(chan struct{}, 1), // This needs to be 1-buffered so that we queue a notification if we're busy doing a pull when it comes.
	}
}

// IndexUpdated makes the puller look again.
func (p *rwFolder) IndexUpdated() {
	select {
	case p.remoteIndex <- struct{}{}:
	default:
	}
}

func (p *rwFolder) Stop() { close(p.stop) }

func (p *rwFolder) Serve() {
	retry := time.NewTicker(time.Minute)
	defer retry.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-p.remoteIndex:
		case <-retry.C:
		}
		p.pullerIteration()
	}
}

func (p *rwFolder) pullerIteration() {
	fileDeletions := map[string]FileInfo{}
	dirDeletions := []FileInfo{}
	buckets := map[string][]FileInfo{}

	p.model.withNeed(func(file FileInfo) {
		switch {
		case file.Deleted:
			// A deleted file or directory
			if file.Directory {
				dirDeletions = append(dirDeletions, file)
			} else {
				fileDeletions[file.Name] = file
				df, ok := p.model.CurrentFolderFile(file.Name)
				// Local file can be already deleted, but with a lower version
				// number, furthermore, the file can simply be of the wrong
				// type if we haven't yet managed to pull it.
				if ok && !df.Deleted && !df.Directory {
					// Put files into buckets per first hash
					key := df.Blocks[0]
					buckets[key] = append(buckets[key], df)
				}
			}
		case file.Directory:
			// A new or changed directory
			p.handleDir(file)
		default:
			// A new or changed file.
			p.queue.Push(file.Name, int64(len(file.Blocks)))
		}
	})

	p.queue.SortSmallestFirst()

	// Process the file queue

nextFile:
	for {
		fileName, ok := p.queue.Pop()
		if !ok {
			break
		}

		f, ok := p.model.CurrentGlobalFile(fileName)
		if !ok {
			// File is no longer in the index. Mark it as done and drop it.
			p.queue.Done(fileName)
			continue
		}

		// Local file can be already deleted, but with a lower version
		// number, hence the deletion coming in again as part of
		// withNeed, furthermore, the file can simply be of the wrong type if
		// the global index changed while we were processing this iteration.
		if !f.Deleted && !f.Directory {
			key := f.Blocks[0]
			for i, candidate := range buckets[key] {
				if slices.Equal(candidate.Blocks, f.Blocks) {
					lidx := len(buckets[key]) - 1
					buckets[key][i] = buckets[key][lidx]
					buckets[key] = buckets[key][:lidx]

					// candidate is our current state of the file, where as the
					// desired state with the delete bit set is in the deletion
					// map.
					desired := fileDeletions[candidate.Name]
					// Remove the pending deletion (as we perform it by renaming)
					delete(fileDeletions, candidate.Name)

					p.renameFile(desired, f)

					p.queue.Done(fileName)
					continue nextFile
				}
			}
		}

		// Not a rename, deal with it.
		p.handleFile(f)
		p.queue.Done(fileName)
	}

	for _, file := range fileDeletions {
		p.deleteFile(file)
	}

	for i := range dirDeletions {
		dir := dirDeletions[len(dirDeletions)-i-1]
		p.deleteFile(dir)
	}
}

func (p *rwFolder) done(f FileInfo, err error) {
	if err != nil {
		log.Printf("puller: %s: %v", f.Name, err)
		return
	}
	p.model.updateLocal(f)
}

func (p *rwFolder) handleDir(f FileInfo) { p.done(f, p.fs.Mkdir(f.Name)) }

func (p *rwFolder) handleFile(f FileInfo) { p.done(f, p.fs.Pull(f.Name, f.Blocks)) }

func (p *rwFolder) deleteFile(f FileInfo) { p.done(f, p.fs.Remove(f.Name)) }

func (p *rwFolder) renameFile(source, target FileInfo) {
	err := p.fs.Rename(source.Name, target.Name)
	p.done(source, err)
	p.done(target, err)
}
