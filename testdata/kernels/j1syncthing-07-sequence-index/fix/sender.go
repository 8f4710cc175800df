package db

import "time"

const maxBatchSizeFiles = 1000

// Connection is the connection to a device.
type Connection interface {
	IndexUpdate(fs []FileInfo) error
	Closed() <-chan struct{}
}

// SendIndexes sends all changes after a sequence until the connection closes.
func SendIndexes(conn Connection, fs *FileSet, prevSequence int64) error {
	sub := fs.subscribe()
	defer fs.unsubscribe(sub)
	for {
		// While we have sent a sequence at least equal to the one
		// currently in the database, wait for the local index to update.
		if fs.Sequence() <= prevSequence {
			select {
			case <-sub:
			case <-conn.Closed():
				return nil
			}
			continue
		}
		var err error
		if prevSequence, err = sendIndexTo(prevSequence, conn, fs); err != nil {
			return err
		}

		// Wait a short amount of time before entering the next loop, to
		// batch continuous changes up a little.
		time.Sleep(250 * time.Millisecond)
	}
}

// sendIndexTo sends file infos with a sequence number higher than prevSequence and
// returns the highest sent sequence number.
func sendIndexTo(prevSequence int64, conn Connection, fs *FileSet) (int64, error) {
	var batch []FileInfo
	var err error
	last := prevSequence
	fs.WithHaveSequence(prevSequence+1, func(seq int64, f FileInfo) bool {
		if len(batch) == maxBatchSizeFiles {
			if err = conn.IndexUpdate(batch); err != nil {
				return false
			}
			batch = nil
		}
		batch = append(batch, f)
		last = seq
		return true
	})
	if err == nil && len(batch) > 0 {
		err = conn.IndexUpdate(batch)
	}
	if err != nil {
		return prevSequence, err
	}
	return last, nil
}
