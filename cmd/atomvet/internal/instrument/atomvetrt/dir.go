package atomvetrt

import (
	"os"
	"strings"
)

// dirs are the directories that trials use.
var dirs []string

// Dir returns the name of a new directory, among the results of the run.
func Dir() string {
	name, err := os.MkdirTemp(cfg.Out, "dir")
	if err != nil {
		panic(err)
	}
	mu.Lock()
	defer mu.Unlock()
	dirs = append(dirs, name)
	return name
}

// withoutDirs replaces the names of these directories in an outcome, as each object has its own.
func withoutDirs(text string) string {
	mu.Lock()
	defer mu.Unlock()
	for _, name := range dirs {
		text = strings.ReplaceAll(text, name, "DIR")
	}
	return text
}
