const e = s.replace(/&/g, '&amp;');
