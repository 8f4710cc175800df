package mergeset

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// mustRemoveAllWithDoneCallback removes path and calls done when it is removed.
// This may take long on NFS, where it has to be tried again.
func mustRemoveAllWithDoneCallback(path string, done func()) {
	if os.RemoveAll(path) == nil {
		done()
		return
	}
	go func() {
		for os.RemoveAll(path) != nil {
			time.Sleep(time.Second)
		}
		done()
	}()
}

// syncWaitGroup is a WaitGroup that allows Add beside Wait.
type syncWaitGroup struct {
	mu sync.Mutex
	wg sync.WaitGroup
}

func (wg *syncWaitGroup) Add(n int) {
	wg.mu.Lock()
	wg.wg.Add(n)
	wg.mu.Unlock()
}

func (wg *syncWaitGroup) Done() {
	wg.wg.Done()
}

func (wg *syncWaitGroup) Wait() {
	wg.mu.Lock()
	wg.wg.Wait()
	wg.mu.Unlock()
}

var pendingTxnDeletionsWG syncWaitGroup

func isPathExist(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Table is a table of parts, a directory each.
type Table struct {
	path     string
	mergeIdx uint64

	partsLock sync.Mutex
	parts     []string

	stopCh chan struct{}
	wg     sync.WaitGroup
}

// OpenTable opens the table at path and finishes the transactions that are left.
func OpenTable(path string) (*Table, error) {
	tb := &Table{path: path, mergeIdx: uint64(time.Now().UnixNano()), stopCh: make(chan struct{})}
	for _, dir := range []string{path, path + "/txn", path + "/tmp"} {
		if err := os.MkdirAll(dir, 0755); err != nil {
			return nil, fmt.Errorf("cannot create %q: %w", dir, err)
		}
	}
	if err := runTransactions(path); err != nil {
		return nil, fmt.Errorf("cannot run transactions from %q: %w", path, err)
	}
	ents, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range ents {
		if fn := e.Name(); fn != "txn" && fn != "tmp" {
			tb.parts = append(tb.parts, path+"/"+fn)
		}
	}
	tb.wg.Add(1)
	go func() {
		defer tb.wg.Done()
		tb.partMerger()
	}()
	return tb, nil
}

// MustClose closes the table. It may be opened again.
func (tb *Table) MustClose() {
	close(tb.stopCh)
	tb.wg.Wait()
}

func (tb *Table) partMerger() {
	t := time.NewTicker(10 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-tb.stopCh:
			return
		case <-t.C:
			if err := tb.mergeParts(); err != nil {
				log.Fatalf("unrecoverable error when merging parts in %q: %s", tb.path, err)
			}
		}
	}
}

// mergeParts merges all the parts into a new one.
func (tb *Table) mergeParts() error {
	tb.partsLock.Lock()
	src := append([]string(nil), tb.parts...)
	tb.partsLock.Unlock()
	if len(src) < 2 {
		return nil
	}
	tb.mergeIdx++
	tmpPath := fmt.Sprintf("%s/tmp/%016X", tb.path, tb.mergeIdx)
	if err := mergeDirs(tmpPath, src); err != nil {
		return err
	}

	// Create a transaction for atomic deleting old parts and moving new part to its destination place.
	dstPath := fmt.Sprintf("%s/%016X", tb.path, tb.mergeIdx)
	txn := strings.Join(src, "\n") + "\n" + tmpPath + " -> " + dstPath + "\n"
	txnPath := fmt.Sprintf("%s/txn/%016X", tb.path, tb.mergeIdx)
	if err := os.WriteFile(txnPath+".tmp", []byte(txn), 0644); err != nil {
		return err
	}
	if err := os.Rename(txnPath+".tmp", txnPath); err != nil {
		return err
	}
	if err := runTransaction(tb.path, txnPath); err != nil {
		return err
	}
	tb.partsLock.Lock()
	tb.parts = append([]string{dstPath}, tb.parts[len(src):]...)
	tb.partsLock.Unlock()
	return nil
}

func mergeDirs(dst string, src []string) error {
	if err := os.MkdirAll(dst, 0755); err != nil {
		return err
	}
	var items []byte
	for _, dir := range src {
		data, err := os.ReadFile(filepath.Join(dir, "items"))
		if err != nil {
			return err
		}
		items = append(items, data...)
	}
	return os.WriteFile(filepath.Join(dst, "items"), items, 0644)
}

func runTransactions(path string) error {
	// Wait until all the previous pending transaction deletions are finished.
	pendingTxnDeletionsWG.Wait()

	// Make sure all the current transaction deletions are finished before exiting.
	defer pendingTxnDeletionsWG.Wait()

	txnDir := path + "/txn"
	ents, err := os.ReadDir(txnDir)
	if err != nil {
		return fmt.Errorf("cannot read directory %q: %w", txnDir, err)
	}

	// Sort transaction files by id, since transactions must be ordered.
	sort.Slice(ents, func(i, j int) bool {
		return ents[i].Name() < ents[j].Name()
	})

	for _, e := range ents {
		fn := e.Name()
		if strings.HasSuffix(fn, ".tmp") {
			// Skip temporary files, which could be left after unclean shutdown.
			continue
		}
		txnPath := txnDir + "/" + fn
		if err := runTransaction(path, txnPath); err != nil {
			return fmt.Errorf("cannot run transaction from %q: %w", txnPath, err)
		}
	}
	return nil
}

func runTransaction(pathPrefix, txnPath string) error {
	data, err := os.ReadFile(txnPath)
	if err != nil {
		return fmt.Errorf("cannot read transaction file: %w", err)
	}
	paths := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	rmPaths := paths[:len(paths)-1]
	srcPath, dstPath, ok := strings.Cut(paths[len(paths)-1], " -> ")
	if !ok {
		return fmt.Errorf("invalid last line in the transaction file: %q", paths[len(paths)-1])
	}

	// Remove old paths. It is OK if certain paths don't exist.
	var removeWG sync.WaitGroup
	for _, path := range rmPaths {
		if !strings.HasPrefix(path, pathPrefix+"/") {
			return fmt.Errorf("invalid path to remove: %q", path)
		}
		removeWG.Add(1)
		mustRemoveAllWithDoneCallback(path, removeWG.Done)
	}

	// Move the new part to new directory.
	if isPathExist(srcPath) {
		if err := os.Rename(srcPath, dstPath); err != nil {
			return fmt.Errorf("cannot rename %q to %q: %w", srcPath, dstPath, err)
		}
	} else if !isPathExist(dstPath) {
		return fmt.Errorf("cannot find both source and destination paths: %q -> %q", srcPath, dstPath)
	}

	pendingTxnDeletionsWG.Add(1)
	go func() {
		defer pendingTxnDeletionsWG.Done()
		// Remove the transaction file only after all the source paths are deleted.
		// This is required for NFS mounts.
		removeWG.Wait()
		if err := os.Remove(txnPath); err != nil {
			log.Printf("cannot remove transaction file %q: %s", txnPath, err)
		}
	}()
	return nil
}
