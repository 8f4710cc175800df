package selection

import "sync"

// A vault has its newest pages in memory, and the older ones in files.
type vault struct {
	moving sync.Mutex // one at a time

	memMu sync.Mutex
	pages []map[string]string

	fileMu sync.Mutex
	files  []map[string]string
}

func (v *vault) inMemory() []map[string]string {
	v.memMu.Lock()
	defer v.memMu.Unlock()
	return append([]map[string]string(nil), v.pages...)
}

func (v *vault) onDisk() []map[string]string {
	v.fileMu.Lock()
	defer v.fileMu.Unlock()
	return append([]map[string]string(nil), v.files...)
}

// Get searches in the direction of the movement.
func (v *vault) Get(key string) string {
	for _, p := range v.inMemory() {
		if text, ok := p[key]; ok {
			return text
		}
	}
	for _, f := range v.onDisk() {
		if text, ok := f[key]; ok {
			return text
		}
	}
	return ""
}

// GetOldest searches against it, and may find a page in neither place.
func (v *vault) GetOldest(key string) string {
	files := v.onDisk()
	for _, p := range v.inMemory() { // want `split-read: v.files at line \d+ and v.pages here are read apart`
		if text, ok := p[key]; ok {
			return text
		}
	}
	for _, f := range files {
		if text, ok := f[key]; ok {
			return text
		}
	}
	return ""
}

func (v *vault) Add(page map[string]string) {
	v.memMu.Lock()
	defer v.memMu.Unlock()
	v.pages = append(v.pages, page)
}

// Move has the page in both places for a while.
func (v *vault) Move() {
	v.moving.Lock()
	defer v.moving.Unlock()
	v.memMu.Lock()
	if len(v.pages) == 0 {
		v.memMu.Unlock()
		return
	}
	page := v.pages[0]
	v.memMu.Unlock()

	v.fileMu.Lock()
	v.files = append(v.files, page)
	v.fileMu.Unlock()

	v.memMu.Lock()
	v.pages = append([]map[string]string(nil), v.pages[1:]...)
	v.memMu.Unlock()
}
