/// Every sentence of the module; those of a folder stand in extensions below their own mark.
enum Messages {}
