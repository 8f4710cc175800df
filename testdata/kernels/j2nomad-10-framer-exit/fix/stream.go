// Package agent streams the files of tasks.
package agent

import (
	"io"
	"os"
	"time"
)

// Stream streams the content of a file, blocking on EOF, until the client goes
// away. The error says why it went.
func Stream(path string, out io.WriteCloser) error {
	framer := NewStreamFramer(out, time.Second, 200*time.Millisecond)
	framer.Run()
	defer framer.Destroy()
	return stream(path, framer)
}

func stream(path string, framer *StreamFramer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()

	var offset int64
	data := make([]byte, 64*1024)
	for {
		n, readErr := f.Read(data)
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		if n != 0 {
			if err := framer.Send(path, data[:n], offset); err != nil {
				return err
			}
			offset += int64(n)
		}
		if readErr == nil {
			continue
		}

		// If EOF is hit, wait for a change to the file
		select {
		case <-time.After(100 * time.Millisecond):
		case <-framer.ExitCh():
			return framer.Err()
		}
	}
}
