// Package model keeps the files of shared folders and their settings.
package model

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Try to keep this entire operation atomic-like. We shouldn't be doing this
// often enough that there is any contention on this lock.
var renameLock sync.Mutex

// Rename renames a file, while trying hard to succeed on various systems by
// temporarily tweaking directory permissions and removing the destination
// file when necessary. Will make sure to delete the from file if the
// operation fails, so use only for situations like committing a temp file to
// its final location.
func Rename(from, to string) error {
	renameLock.Lock()
	defer renameLock.Unlock()

	// Make sure the destination directory is writeable
	toDir := filepath.Dir(to)
	if info, err := os.Stat(toDir); err == nil {
		os.Chmod(toDir, 0777)
		defer os.Chmod(toDir, info.Mode())
	}

	// On Windows, make sure the destination file is writeable (or we can't delete it)
	if runtime.GOOS == "windows" {
		os.Chmod(to, 0666)
		err := os.Remove(to)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
	}

	// Don't leave a dangling temp file in case of rename error
	defer os.Remove(from)
	return os.Rename(from, to)
}

// Model is the set of folders.
type Model struct {
	mu   sync.RWMutex
	dirs map[string]string // folder -> directory
	jobs chan pullJob
	wg   sync.WaitGroup
}

type pullJob struct {
	folder, name string
	data         []byte
}

// New returns a model with the given number of pullers.
func New(pullers int) *Model {
	m := &Model{
		dirs: make(map[string]string),
		jobs: make(chan pullJob),
	}
	for i := 0; i < pullers; i++ {
		m.wg.Add(1)
		go m.puller()
	}
	return m
}

// AddFolder makes a directory known.
func (m *Model) AddFolder(folder, dir string) {
	m.mu.Lock()
	m.dirs[folder] = dir
	m.mu.Unlock()
}

func (m *Model) dir(folder string) (string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	dir, ok := m.dirs[folder]
	if !ok {
		return "", fmt.Errorf("folder %s does not exist", folder)
	}
	return dir, nil
}

// SetIgnores writes the patterns of a folder.
func (m *Model) SetIgnores(folder string, content []string) error {
	dir, err := m.dir(folder)
	if err != nil {
		return err
	}
	fd, err := os.CreateTemp("", "stignore")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(fd)
	for _, line := range content {
		fmt.Fprintln(w, line)
	}
	if err := w.Flush(); err != nil {
		fd.Close()
		os.Remove(fd.Name())
		return err
	}
	if err := fd.Close(); err != nil {
		os.Remove(fd.Name())
		return err
	}
	return Rename(fd.Name(), filepath.Join(dir, ".stignore"))
}

// Pull hands the new content of a file to a puller.
func (m *Model) Pull(folder, name string, data []byte) {
	m.jobs <- pullJob{folder, name, data}
}

func (m *Model) puller() {
	defer m.wg.Done()
	for job := range m.jobs {
		if err := m.finish(job); err != nil {
			fmt.Fprintln(os.Stderr, "puller:", err)
		}
	}
}

func (m *Model) finish(job pullJob) error {
	dir, err := m.dir(job.folder)
	if err != nil {
		return err
	}
	fd, err := os.CreateTemp("", "syncthing")
	if err != nil {
		return err
	}
	if _, err := fd.Write(job.data); err != nil {
		fd.Close()
		os.Remove(fd.Name())
		return err
	}
	if err := fd.Close(); err != nil {
		os.Remove(fd.Name())
		return err
	}
	return Rename(fd.Name(), filepath.Join(dir, job.name))
}

// Stop waits for the pullers. Nobody may call Pull any more.
func (m *Model) Stop() {
	close(m.jobs)
	m.wg.Wait()
}
