package bug

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/atomvet/atomvet/testdata/kernels/st-08-fileset-update/bug/kv"
)

// Local is the id of this device.
const Local = "local"

// File is what one device announced about a file.
type File struct {
	Name    string
	Version int
	Seq     int64
}

// holder is one entry of the global list of a file, best version first.
type holder struct {
	Device  string
	Version int
}

// index keeps the files of all devices and who has which version.
type index struct {
	db *kv.DB
}

func fileKey(device, name string) string { return "f/" + device + "/" + name }
func globalKey(name string) string       { return "g/" + name }

func (x *index) file(device, name string) (f File, ok bool) {
	raw, ok := x.db.Get(fileKey(device, name))
	return f, ok && json.Unmarshal(raw, &f) == nil
}

func (x *index) update(device string, files []File) {
	t := x.db.Begin()
	for _, f := range files {
		put(t, fileKey(device, f.Name), f)
		setGlobal(t, f.Name, holder{device, f.Version})
	}
	t.Commit()
}

// setGlobal replaces the entry of a device in the global list of a file.
func setGlobal(t *kv.Txn, name string, h holder) {
	var list []holder
	if raw, ok := t.Get(globalKey(name)); ok {
		_ = json.Unmarshal(raw, &list)
	}
	list = slices.DeleteFunc(list, func(o holder) bool { return o.Device == h.Device })
	list = append(list, h)
	slices.SortStableFunc(list, func(a, b holder) int { return b.Version - a.Version })
	put(t, globalKey(name), list)
}

func put(t *kv.Txn, key string, v any) {
	raw, _ := json.Marshal(v)
	t.Put(key, raw)
}

// FileSet is the set of files of one folder.
type FileSet struct {
	idx      *index
	localSeq int64 // last local sequence

	seqMu      sync.Mutex // protects remoteSeqs
	remoteSeqs map[string]int64
}

// NewFileSet returns the file set stored in db.
func NewFileSet(db *kv.DB) *FileSet {
	return &FileSet{idx: &index{db: db}, remoteSeqs: make(map[string]int64)}
}

// Update records new versions of some files of a device.
func (s *FileSet) Update(device string, files []File) {
	if device == Local {
		changed := files[:0:0]
		for _, f := range files {
			f.Seq = atomic.AddInt64(&s.localSeq, 1)
			if old, ok := s.idx.file(device, f.Name); !ok || old.Version != f.Version {
				changed = append(changed, f)
			}
		}
		files = changed
	} else {
		s.seqMu.Lock()
		s.remoteSeqs[device] = lastSeq(files)
		s.seqMu.Unlock()
	}
	s.idx.update(device, files)
}

// Sequence returns the last sequence seen for a device.
func (s *FileSet) Sequence(device string) int64 {
	if device == Local {
		return atomic.LoadInt64(&s.localSeq)
	}
	s.seqMu.Lock()
	defer s.seqMu.Unlock()
	return s.remoteSeqs[device]
}

// Devices returns who has a file, best version first.
func (s *FileSet) Devices(name string) []string {
	var list []holder
	if raw, ok := s.idx.db.Get(globalKey(name)); ok {
		_ = json.Unmarshal(raw, &list)
	}
	var out []string
	for _, h := range list {
		out = append(out, h.Device)
	}
	return out
}

func lastSeq(files []File) int64 {
	var last int64
	for _, f := range files {
		last = max(last, f.Seq)
	}
	return last
}
