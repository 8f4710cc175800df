package server

import "sync"

type psi struct {
	total uint64
	fblk  uint32
	lblk  uint32
}

type msgBlock struct {
	mu    sync.RWMutex
	index uint32
	fss   map[string]uint64
	first map[string]uint64
}

func (mb *msgBlock) filteredPending(subj string) (total, first uint64) {
	mb.mu.RLock()
	defer mb.mu.RUnlock()
	return mb.fss[subj], mb.first[subj]
}

type fileStore struct {
	mu   sync.RWMutex
	bim  map[uint32]*msgBlock
	lmb  *msgBlock
	last uint64
	psim map[string]*psi
}

func newFileStore() *fileStore {
	fs := &fileStore{bim: make(map[uint32]*msgBlock), psim: make(map[string]*psi)}
	fs.newMsgBlock()
	return fs
}

// Lock should be held.
func (fs *fileStore) newMsgBlock() {
	var index uint32 = 1
	if fs.lmb != nil {
		index = fs.lmb.index + 1
	}
	fs.lmb = &msgBlock{index: index, fss: make(map[string]uint64), first: make(map[string]uint64)}
	fs.bim[index] = fs.lmb
}

func (fs *fileStore) StoreMsg(subj string) uint64 {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.last%1000 == 999 {
		fs.newMsgBlock()
	}
	fs.last++
	mb := fs.lmb
	mb.mu.Lock()
	if mb.fss[subj] == 0 {
		mb.first[subj] = fs.last
	}
	mb.fss[subj]++
	mb.mu.Unlock()
	info := fs.psim[subj]
	if info == nil {
		info = &psi{fblk: mb.index}
		fs.psim[subj] = info
	}
	info.total++
	info.lblk = mb.index
	return fs.last
}

// Purge removes the messages of the subject from the block.
func (fs *fileStore) Purge(index uint32, subj string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	mb, info := fs.bim[index], fs.psim[subj]
	if mb == nil || info == nil {
		return
	}
	mb.mu.Lock()
	info.total -= mb.fss[subj]
	delete(mb.fss, subj)
	delete(mb.first, subj)
	mb.mu.Unlock()
	if info.total == 0 {
		delete(fs.psim, subj)
	}
}

// NumPending returns the number of messages of a subject and its first sequence.
func (fs *fileStore) NumPending(subj string) (total, first uint64) {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	return fs.numFilteredPending(subj)
}

// Read lock should be held.
func (fs *fileStore) numFilteredPending(subj string) (total, first uint64) {
	info := fs.psim[subj]
	if info == nil {
		return 0, 0
	}
	total = info.total
	if mb := fs.bim[info.fblk]; mb != nil {
		if _, f := mb.filteredPending(subj); f > 0 {
			return total, f
		}
	}
	start, stop := info.fblk+1, info.lblk
	for i := start; i <= stop; i++ {
		mb := fs.bim[i]
		if mb == nil {
			continue
		}
		if _, f := mb.filteredPending(subj); f > 0 {
			// Update fblk since fblk was outdated. We only require read lock
			// here, so we need a goroutine to acquire the write lock.
			go func() {
				fs.mu.Lock()
				defer fs.mu.Unlock()
				if info := fs.psim[subj]; info != nil && i > info.fblk && i <= info.lblk {
					info.fblk = i
				}
			}()
			return total, f
		}
	}
	return total, 0
}
