package db

import "strings"

const dbVersion = "2"

// UpdateSchema migrates the database. The main function calls it once it has
// opened the database, so the GC loop is already running.
func UpdateSchema(db *Lowlevel) {
	updater := &schemaUpdater{db}
	updater.updateSchema()
}

// Open opens the database and brings it up to date.
func Open(backend *Backend) *Lowlevel {
	ll := NewLowlevel(backend)
	UpdateSchema(ll)
	return ll
}

type schemaUpdater struct {
	*Lowlevel
}

func (db *schemaUpdater) updateSchema() {
	// Updating the schema can touch any and all parts of the database. Make
	// sure we do not run GC concurrently with schema migrations.
	db.gcMut.Lock()
	defer db.gcMut.Unlock()

	if v, _ := db.Get(dbVersionKey); v == dbVersion {
		return
	}
	db.updateSchema1to2()
	db.Put(dbVersionKey, dbVersion)
}

// updateSchema1to2 moves the block list out of the file info.
func (db *schemaUpdater) updateSchema1to2() {
	for key, val := range db.Prefix(keyTypeOld) {
		hash, blocks, _ := strings.Cut(val, ":")
		db.putFile(FileInfo{
			Name:       strings.TrimPrefix(key, keyTypeOld),
			BlocksHash: hash,
			Blocks:     blocks,
		})
		db.Delete(key)
	}
}
