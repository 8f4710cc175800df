package fs

import (
	"strings"
	"sync"
	"time"
)

type FilesystemType string

type Filesystem interface {
	Type() FilesystemType
	URI() string
	DirNames(name string) ([]string, error)
}

type fskey struct {
	fstype FilesystemType
	uri    string
}

// caseFilesystemRegistry caches caseFilesystems and runs a routine to drop
// their cache every now and then.
type caseFilesystemRegistry struct {
	fss          map[fskey]*caseFilesystem
	mut          sync.RWMutex
	startCleaner sync.Once
}

func (r *caseFilesystemRegistry) get(fs Filesystem) Filesystem {
	k := fskey{fs.Type(), fs.URI()}

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
				realCaser:  newDefaultRealCaser(fs),
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
// behaves like a case-sensitive filesystem. Meaning that it takes into account
// the real casing of a path and returns ErrCaseConflict if the given path differs
// from the real path.
func NewCaseFilesystem(fs Filesystem) Filesystem {
	return globalCaseFilesystemRegistry.get(fs)
}

type caseFilesystem struct {
	Filesystem
	realCaser
}

type realCaser interface {
	realCase(name string) (string, error)
	dropCache()
}

type defaultRealCaser struct {
	fs    Filesystem
	mut   sync.Mutex
	cache map[string]map[string]string // dir -> lower case -> real case
}

func newDefaultRealCaser(fs Filesystem) *defaultRealCaser {
	return &defaultRealCaser{fs: fs, cache: make(map[string]map[string]string)}
}

func (r *defaultRealCaser) realCase(name string) (string, error) {
	r.mut.Lock()
	defer r.mut.Unlock()

	out := "."
	for _, comp := range strings.Split(name, "/") {
		node, ok := r.cache[out]
		if !ok {
			names, err := r.fs.DirNames(out)
			if err != nil {
				return "", err
			}
			node = make(map[string]string, len(names))
			for _, n := range names {
				node[strings.ToLower(n)] = n
			}
			r.cache[out] = node
		}
		real, ok := node[strings.ToLower(comp)]
		if !ok {
			real = comp
		}
		out += "/" + real
	}
	return out, nil
}

func (r *defaultRealCaser) dropCache() {
	r.mut.Lock()
	r.cache = make(map[string]map[string]string)
	r.mut.Unlock()
}
