package fs

import (
	"strings"
	"sync"
	"time"
)

type Filesystem interface {
	DirNames(name string) ([]string, error)
	URI() string
}

type fskey struct {
	uri string
}

// caseFilesystemRegistry caches caseFilesystems and runs a routine to drop
// their cache every now and then.
type caseFilesystemRegistry struct {
	fss          map[fskey]*caseFilesystem
	mut          sync.RWMutex
	startCleaner sync.Once
}

func newFSKey(fs Filesystem) fskey {
	return fskey{uri: fs.URI()}
}

func (r *caseFilesystemRegistry) get(fs Filesystem) Filesystem {
	k := newFSKey(fs)

	// Use double locking when getting a caseFs. In the common case it will
	// already exist and we take the read lock fast path. If it doesn't, we
	// take a write lock and try again.

	r.mut.RLock()
	caseFs, ok := r.fss[k]
	r.mut.RUnlock()

	if !ok {
		r.mut.Lock()
		caseFs, ok = r.fss[k]
		if !ok {
			caseFs = &caseFilesystem{
				Filesystem: fs,
				realCaser:  &defaultRealCaser{fs: fs, cache: make(map[string][]string)},
			}
			r.fss[k] = caseFs
			r.startCleaner.Do(func() {
				go r.cleaner()
			})
		}
		r.mut.Unlock()
	}

	return caseFs
}

func (r *caseFilesystemRegistry) cleaner() {
	for range time.NewTicker(time.Minute).C {
		// We need to not hold this lock for a long time, as it blocks
		// creating new filesystems in get(), which is needed to do things
		// like add new folders. The (*caseFs).dropCache() method can take
		// an arbitrarily long time to kick in because it in turn waits for
		// locks held by things performing I/O. So we can't call that from
		// within the loop.

		r.mut.RLock()
		toProcess := make([]*caseFilesystem, 0, len(r.fss))
		for _, caseFs := range r.fss {
			toProcess = append(toProcess, caseFs)
		}
		r.mut.RUnlock()

		for _, caseFs := range toProcess {
			caseFs.dropCache()
		}
	}
}

var globalCaseFilesystemRegistry = caseFilesystemRegistry{fss: make(map[fskey]*caseFilesystem)}

// NewCaseFilesystem ensures that the given, potentially case-insensitive filesystem
// behaves like a case-sensitive filesystem.
func NewCaseFilesystem(fs Filesystem) Filesystem {
	return globalCaseFilesystemRegistry.get(fs)
}

// caseFilesystem is a Filesystem with additional checks to make a
// potentially case insensitive underlying FS behave like it's case-sensitive.
type caseFilesystem struct {
	Filesystem
	realCaser *defaultRealCaser
}

func (f *caseFilesystem) dropCache() {
	f.realCaser.dropCache()
}

func (f *caseFilesystem) RealName(dir, name string) (string, error) {
	return f.realCaser.realCase(dir, name)
}

type defaultRealCaser struct {
	fs    Filesystem
	mut   sync.Mutex
	cache map[string][]string
}

// realCase returns the name as it is on disk. The lock is held over the I/O.
func (r *defaultRealCaser) realCase(dir, name string) (string, error) {
	r.mut.Lock()
	defer r.mut.Unlock()
	names, ok := r.cache[dir]
	if !ok {
		var err error
		names, err = r.fs.DirNames(dir)
		if err != nil {
			return "", err
		}
		r.cache[dir] = names
	}
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n, nil
		}
	}
	return name, nil
}

func (r *defaultRealCaser) dropCache() {
	r.mut.Lock()
	r.cache = make(map[string][]string)
	r.mut.Unlock()
}
