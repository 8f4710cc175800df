package vlog

import "sync"

// DB knows which file of the value log has the entry of a key.
type DB struct {
	vlog *valueLog

	writeLock sync.Mutex // one writer, or a drop

	lock  sync.RWMutex
	index map[string]uint32
}

// Open returns an empty database.
func Open(fileSize int) *DB {
	return &DB{vlog: newValueLog(fileSize), index: make(map[string]uint32)}
}

// Set stores a value.
func (db *DB) Set(key string, value []byte) error {
	db.writeLock.Lock()
	defer db.writeLock.Unlock()
	fid, err := db.vlog.write(entry{key, value})
	if err != nil {
		return err
	}
	db.lock.Lock()
	db.index[key] = fid
	db.lock.Unlock()
	return nil
}

// RunValueLogGC removes an old file without live entries.
func (db *DB) RunValueLogGC() error {
	return db.vlog.runGC(func(lf *logFile) bool {
		db.lock.RLock()
		defer db.lock.RUnlock()
		for _, fid := range db.index {
			if fid == lf.fid {
				return true
			}
		}
		return false
	})
}

// DropAll removes all data.
func (db *DB) DropAll() int {
	db.writeLock.Lock()
	defer db.writeLock.Unlock()
	db.lock.Lock()
	db.index = make(map[string]uint32)
	db.lock.Unlock()
	return db.vlog.dropAll()
}
